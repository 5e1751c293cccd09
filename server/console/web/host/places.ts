import type {HostClient} from "./client.ts"

/** A target of the jump. */
export interface Place {
  readonly name: string
  readonly kind: "page" | "endpoint" | "plugin" | "job" | "agent" | "event" | "message"
  /** The parts of its address. */
  readonly parts: readonly string[]
}

type Named = {readonly name: string} | {readonly id: string}

/** Reads the names that the Host has. Leaves out a kind that cannot be read. */
export const readPlaces = async (client: HostClient): Promise<readonly Place[]> => {
  const read = async (kind: Place["kind"], path: string, page: string): Promise<readonly Place[]> => {
    const {items} = await client.get<{items: readonly Named[]}>(path).catch(() => ({items: [] as readonly Named[]}))
    return items.map(item => {
      const name = "name" in item ? item.name : item.id
      return {name, kind, parts: [page, name]}
    })
  }
  const found = await Promise.all([
    read("endpoint", "/api/endpoints?limit=500", "endpoints"),
    read("plugin", "/api/plugins?limit=500", "plugins"),
    read("job", "/api/jobs?limit=500", "jobs"),
    read("agent", "/api/agents", "agents"),
  ])
  return found.flat()
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/i

/**
 * Returns the places whose names contain all the words, the best first. A number is an inbox event too, and an id an
 * outbox message.
 */
export const placesFor = (places: readonly Place[], wanted: string, most = 12): readonly Place[] => {
  const text = wanted.trim()
  const words = text.toLowerCase().split(/\s+/)
  const own: Place[] = []
  if (/^#?\d{1,15}$/.test(text)) {
    const seq = text.replace("#", "")
    own.push({name: seq, kind: "event", parts: ["inbox", seq]})
  }
  if (uuid.test(text)) own.push({name: text, kind: "message", parts: ["outbox", text]})
  const rank = ({name}: Place) => (name.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1)
  const fitting = places
    .filter(({name, kind}) => words.every(word => name.toLowerCase().includes(word) || kind.startsWith(word)))
    .sort((one, other) => rank(one) - rank(other))
  return [...own, ...fitting].slice(0, most)
}
