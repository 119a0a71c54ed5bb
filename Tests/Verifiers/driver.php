<?php
// Calls Examples/PHP/verify.php. Each input line is a call, each output line its result.

require 'verify.php';

// Ends the process on a warning. PHP would continue.
set_error_handler(function (int $level, string $message) {
    fwrite(STDERR, "$message\n");
    exit(1);
});

while (($line = fgets(STDIN)) !== false) {
    $call = json_decode($line, true);
    try {
        $claims = verify($call['token'], $call['keys'], $call['issuer'], $call['audience'], $call['now']);
        $answer = ['answer' => $claims['sub']];
    } catch (Throwable $error) {
        $answer = ['refused' => $error->getMessage()];
    }
    echo json_encode($answer), "\n";
}
