import {channelType, type SatoriEvent} from "../../../shared/sdk/satori.ts"
import {suggest} from "../../config/suggest.ts"
import type {Command} from "./command.ts"

interface Branch {
  command: Command | undefined
  readonly children: Map<string, Branch>
}

interface Unknown {
  readonly is: "unknown"
  /** The words up to the first unknown one. */
  readonly word: string
  readonly meant: string | undefined
  /** The group of commands that the first words name; "" if there is none. */
  readonly group: string
}

export type Routed =
  | {readonly is: "command"; readonly command: Command; readonly rest: string}
  | (Unknown & {readonly direct: boolean})
  | {readonly is: "none"}

/**
 * Finds the command that a message calls. It looks words up one by one in hash maps, so the cost of a message does not
 * grow with the number of commands.
 */
export class Router {
  readonly commands: readonly Command[]
  readonly #root: Branch = {command: undefined, children: new Map()}
  readonly #prefixes: readonly string[]

  constructor(commands: readonly Command[], prefixes: readonly string[]) {
    this.commands = commands
    this.#prefixes = prefixes
    for (const command of commands) {
      for (const path of [command.path, ...command.aliases]) this.#add(path, command)
    }
  }

  get prefix(): string {
    return this.#prefixes[0] ?? ""
  }

  /**
   * Finds the command of a message. A message is for the bot if it starts with a prefix or the bot's name, or is
   * direct.
   */
  route(text: string, event: SatoriEvent): Routed {
    const direct = event.channel?.type === channelType.direct
    const called = this.#called(text, event)
    if (called === undefined && !direct) return {is: "none"}
    const found = this.#find(called ?? text)
    if (found.is === "unknown" && called === undefined) return {is: "none"}
    return found.is === "unknown" ? {...found, direct} : found
  }

  /** Returns whether a message starts with a prefix or the bot's name. */
  isCalled(text: string, event: SatoriEvent): boolean {
    return this.#called(text, event) !== undefined
  }

  hasPrefix(text: string): boolean {
    return this.#prefixes.some(prefix => text.startsWith(prefix))
  }

  /** Returns a message without its leading prefix or bot's name. */
  bare(text: string, event: SatoriEvent): string {
    return this.#called(text, event) ?? text
  }

  /** Returns a message without its leading bot's name. A message with a prefix stays unchanged. */
  unnamed(text: string, event: SatoriEvent): string {
    return this.hasPrefix(text) ? text : this.bare(text, event)
  }

  /**
   * Returns how a message calls the bot, for use in a reply: its prefix, or `bot: `. The first prefix if it calls
   * nobody.
   */
  manner(text: string, event: SatoriEvent): string {
    const called = this.#called(text, event)
    return called === undefined ? this.prefix : text.slice(0, text.length - called.length)
  }

  /** Returns the command that these words call; undefined if there is none. */
  find(words: string): Command | undefined {
    const found = this.#find(words)
    return found.is === "command" ? found.command : undefined
  }

  /** Returns the commands whose words start with these and continue. */
  group(words: string): readonly Command[] {
    const branch = this.#branch(words)
    return branch === undefined ? [] : [...new Set([...branch.children.values()].flatMap(commandsOf))]
  }

  /** Returns the known word after these words that resembles `word` most. */
  meantAfter(words: string, word: string): string | undefined {
    return suggest(word.toLowerCase(), [...(this.#branch(words)?.children.keys() ?? [])])
  }

  #branch(words: string): Branch | undefined {
    let branch: Branch | undefined = this.#root
    for (const word of words.toLowerCase().split(/\s+/)) branch = branch?.children.get(word)
    return branch
  }

  #add(path: readonly string[], command: Command): void {
    let branch = this.#root
    for (const word of path) {
      const next: Branch = branch.children.get(word) ?? {command: undefined, children: new Map()}
      branch.children.set(word, next)
      branch = next
    }
    branch.command = command
  }

  /** Returns the text after the prefix or the bot's name; undefined if a message has neither. */
  #called(text: string, event: SatoriEvent): string | undefined {
    for (const prefix of this.#prefixes) if (text.startsWith(prefix)) return text.slice(prefix.length)
    const user = event.login.user
    for (const name of [user?.name, user?.id]) {
      if (name === undefined || name === "") continue
      const start = text.startsWith("@") ? 1 : 0
      if (
        text.length > start + name.length &&
        text.slice(start, start + name.length).toLowerCase() === name.toLowerCase()
      ) {
        const after = text.slice(start + name.length)
        if (/^[:,\s]/.test(after)) return after.slice(1).trimStart()
      }
    }
    return undefined
  }

  #find(text: string): {is: "command"; command: Command; rest: string} | Unknown {
    let branch = this.#root
    let command: Command | undefined
    let rest = text
    let position = 0
    let missed = ""
    for (;;) {
      const end = endOfWord(text, position)
      const word = text.slice(position, end).toLowerCase()
      const next = branch.children.get(word)
      if (next === undefined) {
        missed = word
        break
      }
      branch = next
      position = skipSpace(text, end)
      if (next.command !== undefined) {
        command = next.command
        rest = text.slice(position)
      }
      if (position >= text.length || next.children.size === 0) break
    }
    if (command !== undefined) return {is: "command", command, rest}
    const spoken = text.slice(0, endOfWord(text, position)).trim()
    const best = missed === "" ? undefined : suggest(missed, [...branch.children.keys()])
    const before = text.slice(0, position)
    return {is: "unknown", word: spoken, meant: best === undefined ? undefined : before + best, group: before.trim()}
  }
}

const commandsOf = ({command, children}: Branch): readonly Command[] => [
  ...(command === undefined ? [] : [command]),
  ...[...children.values()].flatMap(commandsOf),
]

const isSpace = (text: string, at: number) => {
  const code = text.charCodeAt(at)
  return code === 32 || (code >= 9 && code <= 13)
}

const endOfWord = (text: string, from: number) => {
  let end = from
  while (end < text.length && !isSpace(text, end)) end++
  return end
}

const skipSpace = (text: string, from: number) => {
  let at = from
  while (at < text.length && isSpace(text, at)) at++
  return at
}
