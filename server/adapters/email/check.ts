import type {ImapFlow} from "imapflow"
import type {AdapterFinding, CheckTools} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./mailbox/account.ts"
import {createClient, type ImapLibrary, logIn, openFolder, passwordHint, saidBy} from "./mailbox/mailbox.ts"
import {createTransport, explainSend, type SmtpLibrary} from "./send/smtp.ts"

/** How many of the newest mails are checked for results of the trusted server. */
const looked = 20

/** Logs in at both servers and checks the folders. It marks, moves, creates and sends nothing. */
export const check = async (account: AccountSettings, tools: CheckTools): Promise<readonly AdapterFinding[]> => [
  ...(await checkReading(account, tools)),
  await checkSending(account, tools),
]

const checkReading = async (account: AccountSettings, {load, signal}: CheckTools): Promise<AdapterFinding[]> => {
  const {imap, folder = "INBOX"} = account
  const what = "login for reading"
  const client = createClient(await load<ImapLibrary>("imapflow"), account)
  const end = () => client.close()
  client.on("error", () => {})
  signal.addEventListener("abort", end, {once: true})
  try {
    const refusal = await logIn(client, account).then(() => undefined, refusalOf)
    if (refusal !== undefined) return [{what, ok: false, ...refusal}]
    return [
      {what, ok: true, detail: `${imap.user} at ${imap.host}`},
      idleFinding(client),
      ...(await folderFindings(client, account)),
      ...(await trustFindings(client, folder, account.trusted)),
    ]
  } finally {
    signal.removeEventListener("abort", end)
    client.close()
  }
}

/** Returns the texts of a refusal. Rethrows any other error. */
const refusalOf = (error: Error & {readonly remediation?: string}) => {
  if (error.remediation === undefined) throw error
  return {detail: error.message, remediation: error.remediation}
}

const idleFinding = (client: ImapFlow): AdapterFinding => ({
  what: "new mail",
  ok: true,
  detail: client.capabilities.has("IDLE")
    ? "the server announces it at once"
    : "svc checks the folder every poll seconds",
})

const folderFindings = async (
  client: ImapFlow,
  {folder = "INBOX", moveTo, handled}: AccountSettings,
): Promise<AdapterFinding[]> => {
  const what = `folder ${folder}`
  const findings: AdapterFinding[] = []
  try {
    // This changes nothing. A folder opened read-only would not show whether mail in it can be marked.
    const box = await openFolder(client, folder)
    const marks = moveTo !== undefined || handled !== "leave"
    findings.push({
      what,
      ok: !(marks && box.readOnly === true),
      detail: `${box.exists} mails${box.readOnly === true ? "; the login cannot mark any" : ""}`,
      remediation: "Let the login write to the folder, or set handled to leave.",
    })
  } catch (error) {
    findings.push({what, ok: false, ...refusalOf(error as Error)})
  }
  if (moveTo !== undefined) {
    const isThere = (await client.list()).some(({path}) => path === moveTo)
    const detail = isThere ? "exists" : "does not exist yet; svc creates it when the endpoint connects"
    findings.push({what: `folder ${moveTo}`, ok: true, detail})
  }
  return findings
}

/** Checks that the trusted server adds its results under the configured name. */
const trustFindings = async (
  client: ImapFlow,
  folder: string,
  trusted: string | undefined,
): Promise<AdapterFinding[]> => {
  const what = "authentication of senders"
  if (trusted === undefined) return [{what, ok: true, detail: "off: no sender has an account"}]
  const {exists} = await openFolder(client, folder, {readOnly: true})
  if (exists === 0) return [{what, ok: true, detail: "no mail to check yet"}]
  const range = `${Math.max(1, exists - looked + 1)}:*`
  const mails = await client.fetchAll(range, {headers: ["authentication-results"]})
  const names = mails.flatMap(({headers}) =>
    [...(headers?.toString("latin1") ?? "").matchAll(/^authentication-results:\s*([^\s;]+)/gim)].map(
      ([, name]) => name,
    ),
  )
  const ok = names.some(name => name?.toLowerCase() === trusted.toLowerCase())
  const seen = [...new Set(names)].join(", ")
  return [
    {
      what,
      ok,
      detail: ok ? `${trusted} adds results` : `the newest mails have results from ${seen === "" ? "no server" : seen}`,
      remediation: "Set trusted to the name at the start of your own server's Authentication-Results, or leave it out.",
    },
  ]
}

const checkSending = async (account: AccountSettings, {load}: CheckTools): Promise<AdapterFinding> => {
  const {smtp} = account
  const what = "login for sending"
  const transport = createTransport(await load<SmtpLibrary>("nodemailer"), account)
  try {
    await transport.verify()
    return {what, ok: true, detail: `${smtp.user ?? "nobody"} at ${smtp.host}`}
  } catch (error) {
    const failure = explainSend(error, account)
    if (failure.is === "failed") throw new Error(`${smtp.host}: ${failure.error.message}`)
    const remediation = failure.is === "account" ? failure.error.remediation : passwordHint(smtp.host)
    return {what, ok: false, detail: saidBy(failure.error), remediation}
  }
}
