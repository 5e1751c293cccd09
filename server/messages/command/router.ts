import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {keyOf, past, pastBlanks, pastSpaces, trimSpace} from "../../../shared/sdk/text/typed.ts"
import {suggest} from "../../runtime/text/suggest.ts"
import {shownWord} from "../arguments/value.ts"
import {type Called, type Calling, calledBy} from "./called.ts"
import type {Command} from "./command.ts"

interface Branch {
  /** As the command writes it. */
  readonly word: string
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

/** Finds the command that a message calls, word by word in hash maps: the cost does not grow with the commands. */
export class Router {
  readonly commands: readonly Command[]
  readonly #root: Branch = {word: "", command: undefined, children: new Map()}
  readonly #calling: Calling

  constructor(commands: readonly Command[], prefixes: readonly string[]) {
    this.commands = commands
    this.#calling = {prefixes, isCommand: words => this.#find(words).is === "command"}
    for (const command of commands) {
      for (const path of [command.path, ...command.aliases]) this.#add(path, command)
    }
  }

  get prefix(): string {
    return this.#calling.prefixes[0] ?? ""
  }

  /** Finds a message's command. A message is for the bot if it starts with a prefix or the bot's name, or is direct. */
  route(text: string, event: SatoriEvent): Routed {
    const direct = event.channel?.type === channelType.direct
    const called = this.called(text, event)
    if (called === undefined ? !direct : called.isForOther === true) return {is: "none"}
    const found = this.#find(called?.words ?? text.slice(pastBlanks(text, 0)))
    if (found.is === "unknown" && called === undefined) return {is: "none"}
    return found.is === "unknown" ? {...found, direct} : found
  }

  /** Returns how a message calls the bot; undefined if it does not. */
  called(text: string, event: SatoriEvent): Called | undefined {
    return calledBy(text, event, this.#calling)
  }

  /** Returns how a reply to a message calls the bot: as the message does, else with the first prefix. */
  manner(text: string, event: SatoriEvent): string {
    return this.called(text, event)?.manner ?? this.prefix
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
    return suggestIn(this.#branch(words)?.children, keyOf(word))
  }

  #branch(words: string): Branch | undefined {
    let branch: Branch | undefined = this.#root
    for (const word of trimSpace(words).split(/\p{White_Space}+/u)) branch = branch?.children.get(keyOf(word))
    return branch
  }

  #add(path: readonly string[], command: Command): void {
    let branch = this.#root
    for (const word of path) {
      const key = keyOf(word)
      const next: Branch = branch.children.get(key) ?? {word, command: undefined, children: new Map()}
      branch.children.set(key, next)
      branch = next
    }
    branch.command = command
  }

  #find(text: string): {is: "command"; command: Command; rest: string} | Unknown {
    let branch = this.#root
    let command: Command | undefined
    let rest = text
    let position = 0
    let missed = ""
    for (;;) {
      const end = past(solid, text, position)
      const word = keyOf(text.slice(position, end))
      const next = branch.children.get(word)
      if (next === undefined) {
        missed = word
        break
      }
      branch = next
      const after = pastSpaces(text, end)
      position = pastBlanks(text, after)
      if (next.command !== undefined) {
        command = next.command
        rest = text.slice(after)
      }
      if (position >= text.length || next.children.size === 0) break
    }
    if (command !== undefined) return {is: "command", command, rest}
    const spoken = trimSpace(text.slice(0, past(solid, text, position)))
    const meant = suggestIn(branch.children, missed)
    const before = text.slice(0, position)
    return {
      is: "unknown",
      word: shownWord(spoken),
      meant: meant === undefined ? undefined : before + meant,
      group: trimSpace(before),
    }
  }
}

/** Returns the router with the commands that exist for an event. */
export type RouterOf = (event: SatoriEvent, endpoint: string) => Router

/** Returns the word that was probably meant, as its command writes it. */
const suggestIn = (known: Branch["children"] = new Map(), missed: string): string | undefined => {
  const best = missed === "" ? undefined : suggest(missed, [...known.keys()])
  return best === undefined ? undefined : known.get(best)?.word
}

const solid = /\P{White_Space}*/uy

const commandsOf = ({command, children}: Branch): readonly Command[] => [
  ...(command === undefined ? [] : [command]),
  ...[...children.values()].flatMap(commandsOf),
]
