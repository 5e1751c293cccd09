import type {BotFile} from "../bot-files.ts"

/** The address of the Host that runs the adapter, for the platform of a test. */
export interface HostAddress {
  /** The Host's URL, without a trailing slash. */
  readonly url: string
  /** The URL for the account's webhooks. */
  readonly hook: string
  /** The full token, for a platform that is part of the Host. */
  readonly token: string
}

/** A file of a message. */
export type FileUnderTest = BotFile

/** A message of the bot, as the platform has it. */
export interface Heard {
  readonly text: string
  /** When the platform accepted it, in milliseconds since 1970. */
  readonly at: number
  /** The bot's reactions to it, if the platform has reactions. */
  readonly reactions?: readonly string[]
  /** The files that it shows, if the platform has files. */
  readonly files?: readonly Pick<FileUnderTest, "name" | "bytes">[]
}

/** An entry of `plugins.<name>.endpoints`. Write a secret as `${NAME}`, with its value in `env`. */
export type AccountUnderTest = Readonly<Record<string, unknown>> & {readonly id: string}

/** Where a hostile server is: at this port of 127.0.0.1. */
export interface HostileAddress {
  readonly port: number
  /** The account must connect by TLS. */
  readonly isSecure: boolean
}

export interface HostileAccount {
  readonly account: AccountUnderTest
  /**
   * For a platform with several addresses: JSON that the server answers before it attacks, by the end of the path. The
   * suite attacks with these answers, and without them.
   */
  readonly answers?: Readonly<Record<string, unknown>>
}

/** The adapter's platform: a real server, or a substitute for one. The suite does not check what is left out. */
export interface PlatformUnderTest {
  /** Left out for a slot without accounts. */
  readonly account?: AccountUnderTest
  /** The same account with credentials that the platform refuses. */
  readonly refused?: AccountUnderTest
  /** Returns the same account at a hostile server of the suite, which attacks the adapter. */
  hostile?(server: HostileAddress): HostileAccount
  /** The channel shared by the bot and the user of `say`. */
  readonly channel: string
  /** Called for each Host of a check, and awaited, once the Host serves: for a platform that connects to the Host. */
  started?(host: HostAddress): Promise<void> | void
  /**
   * Sends a message from a user. Resolves once the platform has nothing more to do for it. A platform that waits for an
   * acknowledgement resolves only when it has one, and redelivers until then, also to a restarted Host. `host` returns
   * the Host's address at each call.
   */
  say(text: string, host: () => HostAddress | undefined): Promise<void>
  /** Returns the bot's messages in the channel now, in order: with edits applied, and without deleted messages. */
  heard(host: () => HostAddress | undefined): Promise<readonly Heard[]> | readonly Heard[]
  /** Sends a message from a user that consists only of this file; otherwise like `say`. */
  sayFile?(file: FileUnderTest, host: () => HostAddress | undefined): Promise<void>
  /** Redelivers the last message under the same id. */
  repeat?(host: () => HostAddress | undefined): Promise<void>
  /** Breaks the bot's connections. */
  cut?(): Promise<void> | void
  /** Returns how many connections of the bot are open now. */
  connections?(): Promise<number> | number
  /** Makes the platform refuse the bot's next message and ask it to wait for this many milliseconds. */
  slowDown?(milliseconds: number): Promise<void> | void
  /** Returns the names of the commands that the platform lists for its users. */
  commands?(host: () => HostAddress | undefined): Promise<readonly string[]> | readonly string[]
  /** Returns how often the platform showed that the bot was typing in the channel. */
  typing?(host: () => HostAddress | undefined): Promise<number> | number
  /** A user to whom the bot can open a direct channel. */
  readonly user?: string
  /** For Satori methods that `features` names: parameters that the platform accepts. */
  readonly calls?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface AdapterUnderTest {
  /** The value of `plugins.<name>.use`: an absolute path to the plugin's file, a package, or a built-in adapter. */
  readonly use: string
  /** The name in `plugins.<name>`; `adapter` when left out. */
  readonly name?: string
  /** The name of the slot, if it differs from `name`. */
  readonly slot?: string
  /** The value of `plugins.<name>.config`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** The Host's environment variables: the values of secrets. */
  readonly env?: Readonly<Record<string, string>>
  /** How often the kill check kills the Host; 5 when left out. */
  readonly kills?: number
  /** How long a check waits for an expected event, in milliseconds; a minute when left out. */
  readonly patience?: number
  /** Starts the platform for one check. Register what ends it with `defer`. */
  platform(defer: (undo: () => unknown) => void): Promise<PlatformUnderTest> | PlatformUnderTest
}
