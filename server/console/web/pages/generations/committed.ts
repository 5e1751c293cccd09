import type {Envelope} from "../../../../../shared/api/event-stream.ts"
import type {GenerationView} from "../../host/views.ts"

/** The event that tells of a generation that was made: a Host that starts meanwhile commits another one. */
export const committed = {
  types: ["generation.committed"],
  fits: ({data}: Envelope, made: GenerationView): boolean =>
    typeof data === "object" && data !== null && "number" in data && data.number === made.number,
}
