import type {Envelope} from "../../../../shared/api/event-stream.ts"
import type {HostClient} from "./client.ts"

interface HistoryPage {
  readonly head: string
  readonly oldest: string
  readonly items: readonly Envelope[]
  readonly next: string | null
}

const offsetOf = (id: string): number => Number(id.slice(id.lastIndexOf("-") + 1))

export interface NewestRequest {
  /** The number of newest events to read. */
  readonly look: number
  readonly types?: string
  readonly signal?: AbortSignal
}

/** Returns the newest events of the log, oldest first; with `types`, only those of these types. */
export const newestEvents = async (client: HostClient, {look, types, signal}: NewestRequest): Promise<Envelope[]> => {
  const {head, oldest} = await client.get<HistoryPage>("/api/events/history?limit=1", signal)
  const after = Math.max(offsetOf(oldest) - 1, offsetOf(head) - look)
  const filter = types === undefined ? "" : `&types=${types}`
  const found: Envelope[] = []
  let cursor: string | null = `${head.slice(0, head.lastIndexOf("-"))}-${after}`
  while (cursor !== null) {
    const page: HistoryPage = await client.get(
      `/api/events/history?limit=1000&after=${encodeURIComponent(cursor)}${filter}`,
      signal,
    )
    found.push(...page.items)
    cursor = page.next
  }
  return found
}
