import type {HostClient} from "./client.ts"
import type {Finished, Running} from "./process.ts"
import type {Project} from "./project.ts"

export interface TestHost extends HostClient {
  readonly project: Project
  readonly process: Running
  readonly url: string
  readonly token: string
  readonly runtimeId: string
  /** Says something in the sandbox; resolves to the bot's replies once all handlers have ended. */
  say(
    text: string,
    options?: {user?: string; channel?: string; group?: boolean; id?: string; files?: readonly object[]},
  ): Promise<readonly string[]>
  /** Sends SIGTERM or another signal; resolves when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}
