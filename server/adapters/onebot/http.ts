import {fetchWhole, readText, refused, retryAfter, tryParseJson} from "../../../shared/sdk/sdk.ts"
import {type Ask, isPage, resultOf, wrongToken} from "./api.ts"
import {headersOf, type Server} from "./socket.ts"

/** Calls actions over the implementation's HTTP server (OneBot v11, "communication/http"). */
export const askByHttp = (server: Server): Ask => {
  const base = server.url.replace(/\/$/, "")
  return async (action, params, signal) => {
    const headers = {...headersOf(server), "content-type": "application/json"}
    const body = JSON.stringify(params)
    const answer = await fetchWhole(`${base}/${action}`, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal,
    }).catch(cause => {
      throw new Error(
        `could not reach the implementation: ${signal.aborted ? "it does not answer" : (cause.code ?? cause.message)}`,
        {cause},
      )
    })
    const text = await readText(answer)
    if (answer.status === 401 || answer.status === 403) throw wrongToken(isPage(text))
    if (answer.status === 404)
      throw refused(`the implementation does not have ${action}`, {
        passing: true,
        reason: "unsupported",
        remediation: "Correct url, or use an implementation that has this action.",
      })
    if (answer.status === 429) throw retryAfter(answer.headers.get("retry-after"))
    if (!answer.ok) throw new Error(`the implementation answered ${action} with status ${answer.status}`)
    return resultOf(action, tryParseJson(text))
  }
}
