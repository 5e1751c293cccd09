import {SMTPServer, type SMTPServerOptions} from "smtp-server"
import {whenOver} from "../../host/shared.ts"
import {mailboxPassword} from "./dovecot.ts"

export interface Taken {
  readonly from: string
  readonly to: readonly string[]
  readonly source: Buffer
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface Refusal {
  readonly stage: "from" | "to" | "data"
  readonly code: number
  readonly text: string
}

/** A real SMTP server (npm `smtp-server`), which keeps the mails that it accepts. */
export interface MailServer {
  readonly port: number
  readonly taken: readonly Taken[]
  readonly connections: number
  refuseNext(refusal: Refusal): void
  /** Refuses all logins from now on, or accepts them again. */
  lock(isLocked: boolean): void
  /** Delays the answer at the end of the next mails by this many milliseconds. */
  hold(milliseconds: number): void
}

export interface MailServerOptions {
  readonly user?: string
  /** The largest mail, in bytes. */
  readonly size?: number
  readonly pass?: (mail: Taken) => void
  readonly more?: SMTPServerOptions
}

export const startMailServer = async ({
  user = "bot",
  size,
  pass,
  more,
}: MailServerOptions = {}): Promise<MailServer> => {
  const taken: Taken[] = []
  let refusal: Refusal | undefined
  let isLocked = false
  let held = 0
  const refused = (stage: Refusal["stage"]): Error | undefined => {
    if (refusal?.stage !== stage) return undefined
    const {code, text} = refusal
    refusal = undefined
    return Object.assign(new Error(text), {responseCode: code})
  }
  const server = new SMTPServer({
    authMethods: ["PLAIN"],
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    ...(size === undefined ? {} : {size}),
    onAuth: ({username, password}, _, answer) => {
      if (!isLocked && username === user && password === mailboxPassword) return answer(null, {user: username})
      answer(Object.assign(new Error("5.7.8 Username and Password not accepted"), {responseCode: 535}))
    },
    onMailFrom: (_, __, answer) => answer(refused("from")),
    onRcptTo: (_, __, answer) => answer(refused("to")),
    onData: (stream, {envelope}, answer) => {
      const pieces: Buffer[] = []
      stream.on("data", piece => pieces.push(piece))
      stream.on("end", () => {
        const error = refused("data")
        if (error !== undefined) return answer(error)
        const mail = {
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({address}) => address),
          source: Buffer.concat(pieces),
          at: Date.now(),
        }
        taken.push(mail)
        pass?.(mail)
        setTimeout(() => answer(), held)
      })
    },
    ...more,
  })
  server.on("error", () => {})
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", () => resolve()))
  whenOver(() => new Promise<void>(resolve => server.close(() => resolve())))
  const address = server.server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    taken,
    get connections() {
      return server.connections.size
    },
    refuseNext: next => {
      refusal = next
    },
    lock: locked => {
      isLocked = locked
    },
    hold: milliseconds => {
      held = milliseconds
    },
  }
}
