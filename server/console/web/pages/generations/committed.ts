import type {Envelope} from "../../../../../shared/api/event-stream.ts"
import type {GenerationView} from "../../host/views.ts"

/** The event that confirms a new generation. A Host that restarts in the meantime commits another one. */
export const committed = {
  types: ["generation.committed"],
  fits: ({data}: Envelope, made: GenerationView): boolean =>
    typeof data === "object" && data !== null && "number" in data && data.number === made.number,
}
