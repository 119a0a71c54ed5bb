# Calls Examples/Ruby/verify.rb. Each input line is a call, each output line its result.

require_relative "verify"

$stdout.sync = true
$stdin.each_line do |line|
  call = JSON.parse(line)
  answer = begin
    { answer: verify(*call.values_at("token", "keys", "issuer", "audience", "now"))["sub"] }
  rescue StandardError => error
    { refused: error.message }
  end
  puts JSON.generate(answer)
end
