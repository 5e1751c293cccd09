import type {GenerationView} from "../../../../../shared/api/system.ts"
import type {Envelope} from "../../../../../shared/events/event-stream.ts"
import {dataOf} from "../../host/links.ts"

/** The event that confirms a new generation. A Host that restarts in the meantime commits another one. */
export const committed = {
  types: ["generation.committed"],
  fits: (event: Envelope, made: GenerationView): boolean => dataOf(event).number === made.number,
}
