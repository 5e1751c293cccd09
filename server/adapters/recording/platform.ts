import type {Words} from "./walk.ts"

/** An account of an adapter, as its schema has read it. */
export type Account = Readonly<Record<string, unknown>>

/** What the recorder knows of a platform. */
export interface RecordedPlatform {
  /** The address of its API. */
  readonly usual: string
  /** Returns the address that an account names in its place. */
  rootOf(account: Account): unknown
  /** Returns the account with another address. It receives without a webhook, which would not pass the recorder. */
  through(account: Account, address: string): Account
  /** Returns the method that a path calls, without what is an id or a secret in it. */
  methodOf(path: string, verb: string): string
  /** The key of the address of a WebSocket, by the method or message that has it. No other address is followed. */
  readonly sockets: Readonly<Record<string, string>>
  /** Returns the name of a message of a WebSocket; undefined for one that is not recorded. */
  frameOf(frame: unknown): string | undefined
  /** The methods that wait for events: one without any is recorded once. */
  readonly waits: readonly string[]
  readonly words: Words
}
