import {ReadinessReport} from "../../shared/api/readiness.ts"
import {withDeadline} from "../../shared/sdk/adapter/deadline.ts"
import {ask, limit, parseAddress, parseAnswer, withoutCredentials} from "./ask.ts"

export type LiveResult =
  | {readonly ok: true; readonly url: string; readonly report: ReadinessReport}
  | {readonly ok: false; readonly url: string; readonly reason: string; readonly report?: ReadinessReport}

/** Refuses an address with credentials, follows no redirect, sends the token to no other server. Never rejects. */
export const checkLive = async (address: string, token: string | undefined): Promise<LiveResult> => {
  const url = parseAddress(address)
  if (typeof url === "string") return {ok: false, url: withoutCredentials(address), reason: url}
  const target = `${url.href.replace(/\/+$/, "")}/api/system/readiness`
  const fail = (reason: string, report?: ReadinessReport): LiveResult => ({
    ok: false,
    url: target,
    reason,
    ...(report === undefined ? {} : {report}),
  })
  if (token === undefined || token === "") return fail("SVC_HTTP_TOKEN is not set; it must hold the Host's full token")
  const answer = await withDeadline(limit, signal => ask(target, token, signal))
  if (answer.is === "none") return fail(answer.reason)
  const report = parseAnswer(ReadinessReport, answer.text) as ReadinessReport | undefined
  if (report === undefined)
    return fail(`the answer is not a readiness report (${answer.status}); check the address and http.base`)
  if (answer.status === 200 && report.ready) return {ok: true, url: target, report}
  return fail("the Host is not ready", report)
}
