import {messageOf} from "../../../shared/problems.ts"

/** How long a remote database may take to answer anything at all, in milliseconds. */
const answerLimit = 10_000

/** What a gateway answers in place of a server that it does not reach. */
const ofGateways: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * Why nothing answers at the address of a remote database; undefined where anything does, a refused token included, and where it
 * is no address. Asks once, within 10 s. Never rejects.
 */
export const whyUnreachable = async (url: string, signal: AbortSignal): Promise<string | undefined> => {
  const target = httpOf(url)
  if (target === undefined) return undefined
  try {
    const answer = await fetch(target, {signal: AbortSignal.any([signal, AbortSignal.timeout(answerLimit)])})
    await answer.body?.cancel()
    return ofGateways.has(answer.status) ? `${target.host} answers ${answer.status}` : undefined
  } catch (error) {
    return `${target.host} does not answer: ${reasonOf(error)}`
  }
}

/** As the driver maps the schemes: `libsql` is HTTPS unless it says `tls=0`. `/v2` is where its protocol asks for the version. */
const httpOf = (address: string): URL | undefined => {
  const url = URL.parse(address)
  if (url === null || url.host === "") return undefined
  const isPlain = url.protocol === "http:" || url.protocol === "ws:" || url.searchParams.get("tls") === "0"
  return new URL("/v2", `${isPlain ? "http" : "https"}://${url.host}`)
}

/** Node's fetch says only that it failed; its cause says why. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? messageOf(error.cause) : messageOf(error)
