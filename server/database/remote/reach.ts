import {messageOf} from "../../../shared/problems.ts"
import {withDeadline} from "../../../shared/sdk/adapter/deadline.ts"

/** How long a remote database may take to answer at all, in milliseconds. */
const answerLimit = 10_000

/** The answers of a gateway that does not reach its server, and pages: of a proxy, since libSQL has none. */
const isOfGateway = ({status, headers}: Response): boolean => [502, 503, 504].includes(status) || isPage(headers)

export const isPage = (headers: Headers): boolean => headers.get("content-type")?.startsWith("text/html") === true

/**
 * Returns why the address of a remote database does not answer. Undefined if it answers at all, even with a refused
 * token, and for an invalid address. Asks once, within 10 s. Never rejects.
 */
export const whyUnreachable = async (url: string, signal: AbortSignal): Promise<string | undefined> => {
  const target = httpOf(url)
  if (target === undefined) return undefined
  try {
    const answer = await withDeadline(answerLimit, limit => fetch(target, {signal: limit}), signal)
    await answer.body?.cancel()
    return isOfGateway(answer) ? `${target.host} answers ${answer.status}` : undefined
  } catch (error) {
    return `${target.host} does not answer: ${reasonOf(error)}`
  }
}

/** Maps the schemes like the driver: `libsql` is HTTPS unless it says `tls=0`. `/v2` tells the protocol's version. */
const httpOf = (address: string): URL | undefined => {
  const url = URL.parse(address)
  if (url === null || url.host === "") return undefined
  const isPlain = url.protocol === "http:" || url.protocol === "ws:" || url.searchParams.get("tls") === "0"
  return new URL("/v2", `${isPlain ? "http" : "https"}://${url.host}`)
}

/** Node's fetch only says that it failed; its cause says why. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? messageOf(error.cause) : messageOf(error)
