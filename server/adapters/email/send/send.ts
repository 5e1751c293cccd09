import type {SentMessageInfo, Transporter} from "nodemailer"
import {type Endpoint, refused, retryAfter, type Sender} from "../../../../shared/sdk/sdk.ts"
import {lineOf} from "../content/headers.ts"
import type {AccountSettings} from "../mailbox/account.ts"
import {ownMessageId, type Place, placeOf} from "../mailbox/ids.ts"
import type {AnswerLimit} from "./answer-limit.ts"
import {type Composed, compose} from "./compose.ts"
import {explainSend} from "./smtp.ts"
import {answerSubject, lineageOf, type ThreadEnd, type Threads} from "./threads.ts"

export interface SendTools {
  readonly account: AccountSettings
  readonly endpoint: Pick<Endpoint, "file" | "lost">
  readonly transport: Pick<Transporter<SentMessageInfo>, "sendMail">
  readonly threads: Threads
  readonly limit: AnswerLimit
}

/** Resolves once the server has accepted the mail. Its `Message-ID` is the same for each attempt. */
export const createSend =
  ({account, endpoint, transport, threads, limit}: SendTools): Sender["send"] =>
  async ({id, channel, content}, signal) => {
    const place = placeOf(channel)
    if (place === undefined) throw noPlace(channel)
    const {address, thread} = place
    if (address === account.address.toLowerCase()) throw noPlace(channel)
    if (thread !== undefined) limit.require(address)
    const messageId = ownMessageId(id, place, account.address)
    const composed = await compose(content, endpoint.file, messageId)
    const end = thread === undefined ? undefined : await threads.find({address, thread}, signal)
    await transport
      .sendMail({
        ...headersOf(account, place, messageId, composed, end),
        text: composed.text,
        ...(composed.html === undefined ? {} : {html: composed.html}),
        attachments: composed.attachments,
        envelope: {from: account.address, to: [address], size: composed.size},
        disableFileAccess: true,
        disableUrlAccess: true,
        signal,
      })
      .catch(error => {
        throw judgeFailure(error, account, endpoint)
      })
    if (thread !== undefined) limit.count(address)
    return {ids: [messageId]}
  }

const headersOf = (
  {address, name}: AccountSettings,
  to: Place,
  messageId: string,
  {subject, quoted}: Composed,
  end: ThreadEnd | undefined,
) => ({
  from: {address, name: lineOf(name ?? "")},
  to: {address: to.address, name: ""},
  messageId: `<${messageId}>`,
  subject: end === undefined ? subject : answerSubject(end.subject),
  ...(end === undefined ? {} : lineageOf(end, quoted)),
  headers: {
    // RFC 3834, section 5: tells programs not to answer it.
    "Auto-Submitted": to.thread === undefined ? "auto-generated" : "auto-replied",
    "X-Auto-Response-Suppress": "All",
  },
})

const noPlace = (channel: string) =>
  refused(`"${lineOf(channel)}" is not an address to send to`, {
    reason: "target_invalid",
    remediation: "Send to another address than the bot's own, or to the channel of a received mail.",
  })

/**
 * A server that rejects the account would reject every mail, so the endpoint goes offline and the mail stays pending.
 */
const judgeFailure = (error: unknown, account: AccountSettings, endpoint: Pick<Endpoint, "lost">): unknown => {
  const failure = explainSend(error, account)
  if (failure.is === "account") {
    endpoint.lost(failure.error)
    return new Error(failure.error.message, {cause: failure.error})
  }
  return failure.is === "later" ? retryAfter(failure.wait, failure.error.message) : failure.error
}
