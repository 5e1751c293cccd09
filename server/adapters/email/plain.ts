import {lineOf} from "./content/headers.ts"
import {libraries} from "./index.ts"
import type {AccountSettings} from "./mailbox/account.ts"
import {createTransport, explainSend, type SmtpLibrary} from "./send/smtp.ts"

/** The library that a plain mail needs. */
export const smtpLibrary = {nodemailer: libraries.nodemailer} as const

export interface PlainMail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** Without `<` and `>`; the same for each attempt. */
  readonly messageId: string
}

/** Sends a text mail without an endpoint. Resolves once the server has accepted it. Throws the reason if it has not. */
export const sendPlain = async (
  library: SmtpLibrary,
  smtp: AccountSettings["smtp"],
  {from, to, subject, text, messageId}: PlainMail,
  signal: AbortSignal,
): Promise<void> => {
  const account = {smtp} as AccountSettings
  await createTransport(library, account)
    .sendMail({
      from: {address: from, name: ""},
      to: to.map(address => ({address, name: ""})),
      subject: lineOf(subject),
      text,
      messageId: `<${messageId}>`,
      headers: {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All"},
      envelope: {from, to: [...to]},
      disableFileAccess: true,
      disableUrlAccess: true,
      signal,
    })
    .catch((error: unknown) => {
      throw new Error(`${smtp.host}: ${explainSend(error, account).error.message}`, {cause: error})
    })
}
