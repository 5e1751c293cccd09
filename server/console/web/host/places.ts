import type {HostClient} from "./client.ts"

/** A target of the jump. */
export interface Place {
  readonly name: string
  readonly kind: "page" | "endpoint" | "plugin" | "job" | "agent" | "event" | "message"
  /** The parts of its address. */
  readonly parts: readonly string[]
}

/** Reads the names that the Host has. Leaves out a kind that cannot be read. */
export const readPlaces = async (client: HostClient): Promise<readonly Place[]> => {
  const [endpoints, plugins, jobs, agents] = await Promise.all([
    client.get("/api/endpoints", {limit: 500}).catch(none),
    client.get("/api/plugins", {limit: 500}).catch(none),
    client.get("/api/jobs", {limit: 500}).catch(none),
    client.get("/api/agents").catch(none),
  ])
  return [
    ...endpoints.items.map(({name}) => placeOf("endpoint", "endpoints", name)),
    ...plugins.items.map(({name}) => placeOf("plugin", "plugins", name)),
    ...jobs.items.map(({id}) => placeOf("job", "jobs", id)),
    ...agents.items.map(({name}) => placeOf("agent", "agents", name)),
  ]
}

const none = () => ({items: []})
const placeOf = (kind: Place["kind"], page: string, name: string): Place => ({name, kind, parts: [page, name]})

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
