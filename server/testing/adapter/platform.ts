/** A Host that an adapter runs in, as the platform of a test sees it. */
export interface HostAddress {
  /** Where the Host serves, without a slash at its end. */
  readonly url: string
  /** Where webhooks of the account go to. */
  readonly hook: string
  /** The full token, for a platform that is a part of the Host. */
  readonly token: string
}

/** A file of a message. */
export interface FileUnderTest {
  readonly name: string
  /** The media type. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** A message of the bot as the platform has it. */
export interface Heard {
  readonly text: string
  /** When the platform took it, in milliseconds since 1970. */
  readonly at: number
  /** The bot's reactions to it, where the platform has such. */
  readonly reactions?: readonly string[]
  /** The files that it shows, where the platform has such. */
  readonly files?: readonly Pick<FileUnderTest, "name" | "bytes">[]
}

/** An entry of `plugins.<name>.endpoints`; a secret as `${NAME}`, with its value in `env`. */
export type AccountUnderTest = Readonly<Record<string, unknown>> & {readonly id: string}

/** The adapter's platform: a real server, or the author's stand-in for one. What is left out is not checked. */
export interface PlatformUnderTest {
  /** Left out for a slot without accounts. */
  readonly account?: AccountUnderTest
  /** The same account with credentials that the platform refuses. */
  readonly refused?: AccountUnderTest
  /** The channel that the bot and the user of `say` share. */
  readonly channel: string
  /** A Host serves: for a platform that connects to the Host. Called for each Host of the check, and waited for. */
  started?(host: HostAddress): Promise<void> | void
  /**
   * A user says something. Resolves once the platform has nothing more to do for it: where the platform waits for an
   * acknowledgement, once it has one, and until then it delivers again, also to a Host that was started anew. `host` tells
   * where the Host is at each call.
   */
  say(text: string, host: () => HostAddress | undefined): Promise<void>
  /** What the bot has said in the channel, in order, as it is now: edited as it was edited, without what was deleted. */
  heard(host: () => HostAddress | undefined): Promise<readonly Heard[]> | readonly Heard[]
  /** A user says something that is only this file; as `say` otherwise. */
  sayFile?(file: FileUnderTest, host: () => HostAddress | undefined): Promise<void>
  /** Delivers what was said last once more, under the same id. */
  repeat?(host: () => HostAddress | undefined): Promise<void>
  /** Breaks the bot's connections. */
  cut?(): Promise<void> | void
  /** How many connections of the bot are open now. */
  connections?(): Promise<number> | number
  /** The platform refuses the next message of the bot, and asks it to wait for so many milliseconds. */
  slowDown?(milliseconds: number): Promise<void> | void
  /** The names of the commands that the platform lists for its users. */
  commands?(host: () => HostAddress | undefined): Promise<readonly string[]> | readonly string[]
  /** How often the bot was seen to be writing in the channel. */
  typing?(host: () => HostAddress | undefined): Promise<number> | number
  /** A user to whom the bot can open a direct channel. */
  readonly user?: string
  /** For methods of Satori that `features` names: parameters with which the platform takes them. */
  readonly calls?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface AdapterUnderTest {
  /** As `plugins.<name>.use`: an absolute path to the plugin's file, a package, or a built-in adapter. */
  readonly use: string
  /** The name in `plugins.<name>`; `adapter` when left out. */
  readonly name?: string
  /** The name of the slot, where it is not `name`. */
  readonly slot?: string
  /** What stands under `plugins.<name>.config`. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Environment of the Host: values of secrets. */
  readonly env?: Readonly<Record<string, string>>
  /** How often the Host is killed where that is checked; 5 when left out. */
  readonly kills?: number
  /** How long a check waits for what is to happen, in milliseconds; a minute when left out. */
  readonly patience?: number
  /** Starts the platform for one check. `defer` takes what ends it. */
  platform(defer: (undo: () => unknown) => void): Promise<PlatformUnderTest> | PlatformUnderTest
}
