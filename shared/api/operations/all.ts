import type * as agents from "./agents.ts"
import type * as host from "./host.ts"
import type * as messages from "./messages.ts"
import type {Operation} from "./operation.ts"
import type * as recovery from "./recovery.ts"
import type * as system from "./system.ts"
import type * as work from "./work.ts"

type ValuesOf<T> = T[keyof T]

/** The operations of all exported tables of a file. */
type In<File> = Extract<ValuesOf<{[K in keyof File]: ValuesOf<File[K]>}>, Operation>

/** All operations of the API. */
export type Operations =
  | In<typeof agents>
  | In<typeof host>
  | In<typeof messages>
  | In<typeof recovery>
  | In<typeof system>
  | In<typeof work>
