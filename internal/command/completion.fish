# Completion of nestor for fish: nestor completion fish | source
function __nestor_words
    set -l words (commandline -opc) "$(commandline -ct)"
    $words[1] completion words -- $words[2..-1] 2>/dev/null
end
complete -c nestor -n 'test (count (__nestor_words)) -gt 0' -f -a '(__nestor_words)'
