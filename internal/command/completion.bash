# Completion of nestor for bash: source <(nestor completion bash)
_nestor() {
    local IFS=$'\n'
    COMPREPLY=($("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _nestor nestor
