import type {Envelope} from "../../../shared/events/event-stream.ts"

let offset = 0

export const envelopeOf = (
  type: Envelope["type"],
  data: object,
  more: Partial<Omit<Envelope, "type" | "data">> = {},
): Envelope => {
  const about = {id: `epoch-${++offset}`, project: "bot", runtimeId: "first", generation: 1}
  return {...about, type, at: "2026-11-26T07:02:00.000Z", data, ...more} as Envelope
}
