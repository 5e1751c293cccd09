import type {Finished, Running} from "./process.ts"
import type {Project} from "./project.ts"

export interface TestHost {
  readonly project: Project
  readonly process: Running
  readonly url: string
  /** The full token. */
  readonly token: string
  readonly runtimeId: string
  /** Sends a request with the full token; `path` begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  get<T>(path: string): Promise<T>
  post<T>(path: string, body?: unknown): Promise<T>
  /** Says something in the sandbox; resolves to the bot's replies once all handlers have ended. */
  say(
    text: string,
    options?: {user?: string; channel?: string; group?: boolean; id?: string; files?: readonly object[]},
  ): Promise<readonly string[]>
  /** Sends SIGTERM or another signal; resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}
