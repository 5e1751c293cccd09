import type {Log} from "../../../shared/log.ts"
import type {Database} from "../../database/database.ts"
import type {Clock} from "../../runtime/flow/clock.ts"

export interface McpDeps {
  readonly project: string
  readonly database: Database
  readonly log: Log
  readonly clock: Clock
  readonly hide: (text: string) => string
  /** Hides values from then on, in the log and everywhere else. */
  readonly learnSecrets: (values: readonly string[]) => void
}
