/** A test's mail. Headers are written as given. */
export interface LetterOptions {
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  readonly id?: string
  readonly text?: string
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly files?: readonly {
    readonly name: string
    readonly type: string
    readonly bytes: Uint8Array
    /** The content id under which the HTML shows it. */
    readonly cid?: string
  }[]
}

let count = 0

const inBase64 = (bytes: Uint8Array | string): string =>
  Buffer.from(bytes as Uint8Array)
    .toString("base64")
    .replace(/.{76}/g, "$&\r\n")

const textPart = (type: string, text: string): string =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${inBase64(text)}\r\n`

const combined = (type: string, parts: readonly string[]): string => {
  const boundary = `b${++count}`
  const body = parts.map(part => `--${boundary}\r\n${part}`).join("")
  return `Content-Type: multipart/${type}; boundary=${boundary}\r\n\r\n${body}--${boundary}--\r\n`
}

export const letter = ({
  from = "Ann <ann@people.test>",
  to = "bot@svc.test",
  subject = "hello",
  id = `m${++count}.${Date.now()}@people.test`,
  text,
  html,
  headers = {},
  files = [],
}: LetterOptions): string => {
  const texts = [
    ...(text === undefined ? [] : [textPart("text/plain", text)]),
    ...(html === undefined ? [] : [textPart("text/html", html)]),
  ]
  const said = texts.length === 2 ? [combined("alternative", texts)] : texts
  const attached = files.map(
    ({name, type, bytes, cid}) =>
      `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n${cid === undefined ? "" : `Content-ID: <${cid}>\r\n`}` +
      `Content-Disposition: ${cid === undefined ? "attachment" : "inline"}; filename="${name}"\r\n\r\n${inBase64(bytes)}\r\n`,
  )
  const [only = textPart("text/plain", "")] = said
  const body = attached.length === 0 ? only : combined("mixed", [...said, ...attached])
  const lines = Object.entries({
    From: from,
    To: to,
    Subject: subject,
    "Message-ID": `<${id}>`,
    Date: new Date().toUTCString(),
    "MIME-Version": "1.0",
    ...headers,
  })
  return `${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}${body}`
}
