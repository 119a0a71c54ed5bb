<?php
// Calls the PHP of docs/verify.md; each line that comes in is a call, each that goes out its answer.

require 'snippet.php';

// A warning is no refusal: PHP would go on.
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
