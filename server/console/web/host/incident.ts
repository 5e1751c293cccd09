import {
  type Judgement,
  judgeAuthority,
  judgeCapabilities,
  judgeEndpoints,
  judgeHost,
  questions,
} from "../../../../shared/api/incident.ts"
import type {View} from "../../../../shared/api/incident-views.ts"
import {type HostClient, Refusal, Unreachable} from "./client.ts"
import {describeRefusal} from "./explain.ts"

export interface Answer extends Judgement {
  readonly text: string
}

export interface Expected {
  readonly project?: string
  readonly version?: string
}

/** The last known state of a Host. */
export interface Known {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly status: View<"status">
  readonly endpoints: readonly View<"endpoints">["items"][number][]
  /** Undefined for a demo token. */
  readonly report: View<"readiness"> | undefined
  readonly plugins: readonly View<"plugins">["items"][number][]
}

/**
 * Answers the five questions of an incident over the API, as `svc doctor --incident` does. If the Host does not answer,
 * uses its last known state. Never rejects.
 */
export const checkIncident = async (
  client: HostClient,
  expected: Expected,
  known?: Known,
): Promise<readonly Answer[]> => {
  const health = await askHealth(client)
  const rest = health.answer === "yes" ? await askRest(client, expected).catch(failed) : judgeKnown(known, expected)
  return [health, ...rest].map((judgement, index) => ({...judgement, text: questions[index] ?? ""}))
}

/** Judges the last known state. Without an answer of the Host, no question gets a yes or a no. */
const judgeKnown = (known: Known | undefined, expected: Expected): readonly Judgement[] => {
  if (known === undefined)
    return questions.slice(1).map((): Judgement => ({answer: "not asked", evidence: ["the Host does not answer"]}))
  const {at, status, endpoints, report, plugins} = known
  const before = [
    judgeHost(status, expected).evidence,
    judgeEndpoints(endpoints, status.ingress, at).evidence,
    report === undefined ? [] : judgeCapabilities(report, plugins, []).evidence,
    [`database: ${status.authority}`],
  ]
  const when = `the Host does not answer; it said at ${new Date(at).toISOString()}:`
  return before.map((lines): Judgement => ({answer: "not asked", evidence: [when, ...lines]}))
}

const failed = (error: unknown): readonly Judgement[] => {
  const evidence = [describeRefusal(error)]
  return questions.slice(1).map(() => ({answer: "no", evidence, next: "Check the address and the token."}))
}

/** Liveness is at the root of the address, whatever `http.base` is. */
const askHealth = async ({url}: HostClient): Promise<Judgement> => {
  const begun = performance.now()
  const next = "See whether the process runs and what its supervisor logs; then the gateway in front of it."
  try {
    const response = await fetch(`${new URL(url).origin}/pub/health`, {cache: "no-store"})
    const evidence = [`${response.status} in ${Math.round(performance.now() - begun)} ms`]
    return response.ok ? {answer: "yes", evidence} : {answer: "no", evidence, next}
  } catch {
    return {answer: "no", evidence: ["it does not answer"], next}
  }
}

const askRest = async (client: HostClient, expected: Expected): Promise<readonly Judgement[]> => {
  const [status, endpoints, releases, readiness, plugins, history, jobs] = await Promise.all([
    client.get("/api/system/status"),
    client.get("/api/endpoints", {limit: 500}),
    client.get("/api/releases", {limit: 50}).catch(() => undefined),
    client.get("/api/system/readiness", {}, {also: 503}),
    client.get("/api/plugins", {limit: 500}),
    orMissing(client.get("/api/events/history", {limit: 1})),
    orMissing(client.get("/api/jobs", {limit: 1})),
  ])
  return [
    judgeHost(status, expected, releases?.items),
    judgeEndpoints(endpoints.items, status.ingress, Date.now()),
    judgeCapabilities(readiness, plugins.items, []),
    judgeAuthority({status, history, jobs}),
  ]
}

/** Resolves to undefined if an older Host does not have the route. */
const orMissing = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch(error => {
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error instanceof Error ? error : new Unreachable(String(error))
  })
