import type {Envelope} from "../../../../../shared/api/event-stream.ts"
import {dataOf} from "../../host/links.ts"
import type {GenerationView} from "../../host/views.ts"

/** The event that confirms a new generation. A Host that restarts in the meantime commits another one. */
export const committed = {
  types: ["generation.committed"],
  fits: (event: Envelope, made: GenerationView): boolean => dataOf(event).number === made.number,
}
