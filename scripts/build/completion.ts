import {Cli} from "clipanion"
import {commands, loadCommand} from "../../cli/commands.ts"

interface Entry {
  /** One or two words. */
  readonly name: string
  readonly description: string
  /** Each long option with its description. */
  readonly options: readonly (readonly [string, string])[]
}

const readEntries = (): Promise<readonly Entry[]> =>
  Promise.all(
    Object.keys(commands).map(async name => {
      const [definition] = Cli.from([await loadCommand(name)]).definitions()
      const options = (definition?.options ?? []).flatMap(({definition: shown, description: what = ""}) =>
        shown.split(/[ ,]/).flatMap(part => (part.startsWith("--") ? [[part, what] as const] : [])),
      )
      return {name, description: definition?.description ?? "", options: [...options, ["--help", "Show the help"]]}
    }),
  )

/** Quotes a text for a shell. fish alone reads a backslash inside single quotes; no text has one. */
const quote = (text: string): string => `'${text.replaceAll("'", "’").replaceAll("\n", " ").trim()}'`

/** The words that may follow some words, each with its description. */
type Choices = ReadonlyMap<string, readonly (readonly [string, string])[]>

const choicesOf = (entries: readonly Entry[]): Choices => {
  const groups = new Map<string, (readonly [string, string])[]>([["", [["help", "show the help of a command"]]]])
  for (const {name, description, options} of entries) {
    const [group = "", word] = name.split(" ")
    groups.set(name, [...options])
    if (word === undefined) groups.get("")?.push([group, description])
    else if (groups.has(group)) groups.get(group)?.push([word, description])
    else groups.set(group, [[word, description]])
    if (word !== undefined && groups.get("")?.every(([known]) => known !== group) === true)
      groups.get("")?.push([group, `commands of ${group}`])
  }
  return groups
}

/** A `case` for each of the choices, in the syntax that bash and zsh share. `told` makes the answer of each. */
const cases = (choices: Choices, told: (words: readonly (readonly [string, string])[]) => string): string =>
  [...choices].map(([words, list]) => `    ${quote(words)}) ${told(list)} ;;`).join("\n")

/** Keeps the first two words that are no options, as a command has at most two; one if no command has the two. */
const path = (choices: Choices) => `  for word in "\${before[@]}"; do
    case $word in
      -*) ;;
      *) case $path in *' '*) ;; '') path=$word ;; *) path="$path $word" ;; esac ;;
    esac
  done
  case $path in ${[...choices.keys()]
    .filter(words => words !== "")
    .map(quote)
    .join("|")}|'') ;; *) path=\${path%% *} ;; esac`

const bash = (choices: Choices): string => `# eval "$(svc --completion bash)"
_svc() {
  local word list path='' cur=\${COMP_WORDS[COMP_CWORD]}
  local -a before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${path(choices)}
  case $path in
${cases(choices, list => `list=${quote(list.map(([word]) => word).join(" "))}`)}
  esac
  COMPREPLY=($(compgen -W "$list" -- "$cur"))
}
complete -o default -F _svc svc
`

const zsh = (choices: Choices): string => `#compdef svc
# eval "$(svc --completion zsh)"
_svc() {
  local word path=''
  local -a before list
  before=("\${(@)words[2,CURRENT-1]}")
${path(choices)}
  case $path in
${cases(choices, list => `list=(${list.map(([word, what]) => quote(`${word}:${what.replaceAll(":", "\\:")}`)).join(" ")})`)}
  esac
  _describe svc list || _files
}
compdef _svc svc
`

const fish = (choices: Choices): string => {
  const lines = [...choices].flatMap(([words, list]) =>
    list.map(([word, what]) => {
      const how = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c svc -n "__svc_at ${quote(words)}" ${how} -d ${quote(what)}`
    }),
  )
  const names = [...choices.keys()].filter(words => words !== "").map(quote)
  return `# svc --completion fish | source
function __svc_at
  set -l before (commandline -opc)
  set -l path (string match -v -- '-*' $before[2..-1])[1..2]
  contains -- "$path" ${names.join(" ")}; or set path $path[1]
  test "$path" = $argv[1]
end
${lines.join("\n")}
`
}

/** Makes the completion of the command line for each shell. */
export const completions = async (): Promise<Readonly<Record<"bash" | "zsh" | "fish", string>>> => {
  const choices = choicesOf(await readEntries())
  return {bash: bash(choices), zsh: zsh(choices), fish: fish(choices)}
}
