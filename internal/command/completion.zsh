#compdef nestor
# Completion of nestor for zsh: source <(nestor completion zsh)
_nestor() {
    local -a found
    local line
    for line in ${(f)"$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( $#found )); then
        _describe nestor found
    else
        _files
    fi
}
compdef _nestor nestor
