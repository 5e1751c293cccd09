import type {Answer} from "../../../../shared/api/operations/client.ts"
import type {Envelope} from "../../../../shared/events/event-stream.ts"
import type {HostClient} from "./client.ts"

const offsetOf = (id: string): number => Number(id.slice(id.lastIndexOf("-") + 1))

export interface NewestRequest {
  /** The number of newest events to read. */
  readonly look: number
  readonly types?: string
}

/** Returns the newest events of the log, oldest first; with `types`, only those of these types. */
export const newestEvents = async (client: HostClient, {look, types}: NewestRequest): Promise<Envelope[]> => {
  const {head, oldest} = await client.get("/api/events/history", {limit: 1})
  const after = Math.max(offsetOf(oldest) - 1, offsetOf(head) - look)
  const found: Envelope[] = []
  let next: string | null = `${head.slice(0, head.lastIndexOf("-"))}-${after}`
  while (next !== null) {
    const page: Answer<"GET", "/api/events/history"> = await client.get("/api/events/history", {
      limit: 1000,
      after: next,
      types,
    })
    found.push(...page.items)
    next = page.next
  }
  return found
}
