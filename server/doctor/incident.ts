import {
  type Expectations,
  type Judgement,
  judgeAuthority,
  judgeCapabilities,
  judgeEndpoints,
  judgeHost,
  paths,
  questions,
} from "../../shared/api/incident.ts"
import {type View, views} from "../../shared/api/incident-views.ts"
import {withDeadline} from "../../shared/sdk/adapter/deadline.ts"
import {ask, limit, parseAddress, parseAnswer, withoutCredentials} from "./ask.ts"

export interface IncidentResult {
  readonly schema: "svc.incident/1"
  /** Whether every answer is yes. */
  readonly ok: boolean
  readonly url: string
  readonly answers: readonly (Judgement & {readonly question: number; readonly text: string})[]
}

const notAsked = (reason: string): Judgement => ({answer: "not asked", evidence: [reason]})

/**
 * Asks a Host the five questions through its API, and skips the questions that an earlier answer rules out. Takes at most
 * 5 s, follows no redirect, and sends the token to no other server. Never rejects.
 */
export const checkIncident = async (
  address: string,
  token: string | undefined,
  expected: Expectations,
  now = Date.now,
): Promise<IncidentResult> => {
  const url = parseAddress(address)
  const result = (shown: string, judgements: readonly Judgement[]): IncidentResult => ({
    schema: "svc.incident/1",
    ok: judgements.every(({answer}) => answer === "yes"),
    url: shown,
    answers: judgements.map((judgement, index) => ({question: index + 1, text: questions[index] ?? "", ...judgement})),
  })
  if (typeof url === "string") {
    const wrong: Judgement = {answer: "no", evidence: [url], next: "Correct the address."}
    return result(withoutCredentials(address), [wrong, ...questions.slice(1).map(() => notAsked(url))])
  }
  const base = url.href.replace(/\/+$/, "")
  return withDeadline(limit, async signal => {
    const {health, isReached} = await askHealth(`${url.origin}/pub/health`, signal)
    if (!isReached) return result(base, [health, ...questions.slice(1).map(() => notAsked("the Host does not answer"))])
    if (token === undefined || token === "") {
      const reason = "SVC_HTTP_TOKEN is not set; it must hold the Host's full token"
      return result(base, [health, ...questions.slice(1).map(() => notAsked(reason))])
    }
    return result(base, [health, ...(await askRest(readingFrom(base, token, signal), expected, now))])
  })
}

const askHealth = async (target: string, signal: AbortSignal): Promise<{health: Judgement; isReached: boolean}> => {
  const begun = performance.now()
  const answer = await ask(target, undefined, signal)
  const next = "Check that the process runs, then the log of its supervisor, then the gateway in front of it."
  if (answer.is === "none")
    return {health: {answer: "no", evidence: [answer.reason], next}, isReached: answer.isReached}
  const evidence = [`${answer.status} in ${Math.round(performance.now() - begun)} ms`]
  const isHealthy = answer.status === 200 && answer.text?.includes('"pass"') === true
  return {
    health: isHealthy
      ? {answer: "yes", evidence}
      : {answer: "no", evidence: [...evidence, "this is not the answer of a Host"], next},
    isReached: true,
  }
}

type Read<T> =
  | {readonly is: "read"; readonly value: T}
  | {readonly is: "missing"}
  | {readonly is: "none"; readonly reason: string}

const readingFrom =
  (base: string, token: string, signal: AbortSignal) =>
  async <N extends keyof typeof views>(name: N): Promise<Read<View<N>>> => {
    const answer = await ask(`${base}${paths[name]}`, token, signal)
    if (answer.is === "none") return answer
    const value = parseAnswer(views[name], answer.text) as View<N> | undefined
    if (value !== undefined) return {is: "read", value}
    if (answer.status === 404) return {is: "missing"}
    return {is: "none", reason: `${paths[name]} answered ${answer.status}; check the address and http.base`}
  }

/** Returns the reason why the data of a question could not be read. */
const reasonOf = (...reads: readonly Read<unknown>[]): string => {
  const failed = reads.find(({is}) => is !== "read")
  return failed?.is === "none" ? failed.reason : "the Host does not have this; check the address and http.base"
}

type Reading = ReturnType<typeof readingFrom>

const askRest = async (read: Reading, expected: Expectations, now: () => number): Promise<readonly Judgement[]> => {
  const [status, endpoints, releases, readiness, plugins, history, jobs, agents] = await Promise.all([
    read("status"),
    read("endpoints"),
    read("releases"),
    read("readiness"),
    read("plugins"),
    read("history"),
    read("jobs"),
    read("agents"),
  ])
  const {capabilities, longestQuiet} = expected
  return [
    status.is === "read" ? judgeHost(status.value, expected, valueRead(releases)?.items) : refused(reasonOf(status)),
    status.is === "read" && endpoints.is === "read"
      ? judgeEndpoints(endpoints.value.items, status.value.ingress, now(), longestQuiet)
      : notAsked(reasonOf(status, endpoints)),
    readiness.is === "read" && plugins.is === "read"
      ? judgeCapabilities(readiness.value, plugins.value.items, capabilities, valueRead(agents)?.items)
      : notAsked(reasonOf(readiness, plugins)),
    status.is === "read" && history.is !== "none" && jobs.is !== "none"
      ? judgeAuthority({status: status.value, history: valueRead(history), jobs: valueRead(jobs)})
      : notAsked(reasonOf(...[status, history, jobs].filter(({is}) => is !== "missing"))),
  ]
}

const valueRead = <T>(read: Read<T>): T | undefined => (read.is === "read" ? read.value : undefined)

const refused = (reason: string): Judgement => ({
  answer: "no",
  evidence: [reason],
  next: "Set SVC_HTTP_TOKEN to the full token of the Host that you mean, and check the address.",
})
