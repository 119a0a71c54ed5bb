# Writes the medians of the plugin's influx lines as a Markdown table, one row per benchmark. Fields are counted from the
# end, because the machine's description may contain commas. Benchmark names contain none.
BEGIN { FS = "," }
NF >= 15 && $(NF - 5) == 50 {
    name = $(NF - 6)
    if (!(name in seen)) { seen[name] = 1; names[++rows] = name }
    median[name, $(NF - 8)] = $(NF - 4)
}
function cell(name, metric, scale, form) {
    return (name SUBSEP metric) in median ? sprintf(form, median[name, metric] / scale) : "–"
}
END {
    print "| benchmark | µs | reference µs | ratio | allocations | of the reference | peak KiB |"
    print "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for (row = 1; row <= rows; row++) {
        name = names[row]
        printf "| %s | %s | %s | %s | %s | %s | %s |\n", name, cell(name, "time", 1000, "%.2f"),
            cell(name, "reference", 1000, "%.2f"), cell(name, "ratio", 1000, "%.2f"),
            cell(name, "allocations", 1, "%d"), cell(name, "referenceAllocations", 1, "%d"),
            cell(name, "peak", 1024, "%.0f")
    }
    if (rows == 0) exit 1
}
