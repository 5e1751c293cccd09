import type {CapabilityKind, PluginPath} from "../../../shared/ids.ts"
import type {Log, LogFields} from "../../../shared/log.ts"
import type {Issue} from "../../../shared/problems.ts"
import type {EventFilter, HandlerDefinition} from "../../../shared/sdk/session/handler.ts"
import type {TimerDefinition} from "../../../shared/sdk/session/timer.ts"
import type {LoadedConfig} from "../../config/load.ts"
import {filterText} from "../../messages/filters.ts"
import type {Handler} from "../../messages/session/handler.ts"
import type {HostTexts} from "../../messages/texts/host-texts.ts"
import {requireName} from "./checks.ts"

/** One run of a plugin's `setup`, in which declarations are made. */
export class Setup {
  readonly owner: PluginPath
  readonly #claimed = new Map<string, string>()
  #hasEnded = false

  constructor(owner: PluginPath) {
    this.owner = owner
  }

  end(): void {
    this.#hasEnded = true
  }

  /** Returns how errors name a declaration. Throws once `setup` has ended. */
  begin(method: string, subject?: unknown): string {
    if (this.#hasEnded) throw new Error(`${method}() was called after setup had ended; call it in setup`)
    return subject === undefined ? `${method}()` : `${method}("${String(subject)}")`
  }

  /** Takes the handler ids of these kinds for a name. Throws if the name is invalid, or taken. */
  claim(what: string, by: string, name: string, kinds: readonly CapabilityKind[]): void {
    for (const kind of kinds) {
      const first = this.#claimed.get(`${kind}/${name}`)
      if (first === by) throw new Error(`${what} is declared twice`)
      if (first !== undefined) throw new Error(`${what}: a declared ${first} has that name already`)
    }
    requireName(what, name)
    for (const kind of kinds) this.#claimed.set(`${kind}/${name}`, by)
  }
}

/** The instance whose code publishes, and what its code runs in. */
export interface Owner {
  readonly id: string
  readonly name: string
  readonly path: PluginPath
  /** The folder of its project. */
  readonly project: string
  /** Where its own folders are. */
  readonly folder: string
  readonly log: Log
  /** Returns the Host's time in milliseconds since 1970. */
  now(): number
  run<T>(work: () => T | Promise<T>, about?: LogFields, what?: string): Promise<T>
  as<T>(work: () => T, about?: LogFields): T
  answer(given: Response, about: LogFields): Response
}

/** What an instance publishes its declarations into: a snapshot that is being built. */
export interface Publishing {
  readonly owner: Owner
  readonly loaded: LoadedConfig
  readonly texts: HostTexts
  /** The default language of the project. */
  readonly language: string
  /** Returns a handler that runs as the owner's code. */
  handler(id: string, definition?: HandlerDefinition & Pick<TimerDefinition, "maxLate">): Handler
  /** Reports a finding about the owner, at its key in the configuration. */
  report(message: string): void
  readonly issues: Issue[]
  /** The secrets of its accounts, for masking. */
  readonly secrets: string[]
}

export interface CapabilityName {
  readonly kind: CapabilityKind
  readonly name: string
  readonly description?: string | undefined
}

/** What one instance publishes of one kind. */
export interface Published<T = never> {
  readonly items: readonly T[]
  readonly capabilities?: readonly CapabilityName[]
  /** Names that only one plugin may publish, such as `the service "clock"`. */
  readonly claims?: readonly string[]
}

/** The declarations of one kind in one `setup`. */
export interface Declarations<Methods extends object, Declared, T> {
  /** The methods of `Plugin` that declare. They throw once `setup` has ended, and for an invalid declaration. */
  readonly methods: Methods
  readonly declared: Declared
  /** Completes the declarations after `setup`. Rejects if one is invalid. */
  finish?(): Promise<void>
  publish(at: Publishing): Published<T>
  /** Returns notes for people about declarations that work but may not do what their author meant. */
  notes?(place: (error: Error) => string): readonly string[]
}

export const declarationsOf = <Methods extends object, Declared, T = never>(
  declarations: Omit<Declarations<Methods, Declared, T>, "publish"> & {publish?(at: Publishing): Published<T>},
): Declarations<Methods, Declared, T> => ({publish: () => ({items: []}), ...declarations})

/** Returns what people read about a handler: its own words, and which events it wants. */
export const describe = (shown: string | undefined, filter: EventFilter): string | undefined =>
  [shown, filterText(filter)].filter(each => each !== undefined).join("; ") || undefined

/** Publishes handlers under their own ids, `<owner>/<kind>/<name>`. */
export const publishEach = <
  D extends {readonly id: string; readonly shown?: string; readonly definition?: EventFilter},
  T,
>(
  {owner}: Publishing,
  kind: CapabilityKind,
  declared: readonly D[],
  publish: (each: D) => T,
): Published<T> => ({
  items: declared.map(publish),
  capabilities: declared.map(({id, shown, definition = {}}) => ({
    kind,
    name: id.slice(`${owner.path}/${kind}/`.length),
    description: describe(shown, definition),
  })),
})
