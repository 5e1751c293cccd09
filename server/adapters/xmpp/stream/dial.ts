import {resolveSrv} from "node:dns/promises"
import {once} from "node:events"
import {createConnection, isIP, type Socket} from "node:net"
import {connect as connectTls} from "node:tls"
import {withDeadline} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {domainOf} from "./jid.ts"

/** The timeout for the connection and for TLS, in milliseconds. */
const patience = 15_000

/** The most bytes that a server may send before TLS. */
const longestGreeting = 65_536

interface Place {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (XEP-0368), instead of STARTTLS. */
  readonly direct: boolean
}

export interface Dialed {
  readonly socket: Socket
  readonly isSecure: boolean
}

/**
 * Connects to the account's server, with TLS unless the account turns it off. If TLS is required, nothing is sent
 * without it, whatever the server offers. Throws why no address of the server works.
 */
export const dial = (account: AccountSettings, closed: AbortSignal): Promise<Dialed> =>
  withDeadline(patience, signal => dialWithin(account, signal), closed)

const dialWithin = async (account: AccountSettings, signal: AbortSignal): Promise<Dialed> => {
  const errors: string[] = []
  for (const place of await placesOf(account)) {
    try {
      return await reach(place, account, signal)
    } catch (error) {
      errors.push(`${place.host}:${place.port}: ${reasonOf(error, signal)}`)
    }
    if (signal.aborted) break
  }
  throw new Error(`no connection to ${domainOf(account.jid)}: ${errors.join("; ")}`)
}

const reasonOf = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return "no answer in time"
  return error instanceof Error ? error.message : String(error)
}

const placesOf = async ({jid, service}: AccountSettings): Promise<readonly Place[]> => {
  if (service !== undefined) {
    const {protocol, hostname, port} = new URL(service)
    const direct = protocol === "xmpps:"
    return [{host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (direct ? 5223 : 5222)), direct}]
  }
  const domain = domainOf(jid)
  const found = await Promise.all([lookUp("xmpps-client", domain, true), lookUp("xmpp-client", domain, false)])
  const records = found.flat().sort((one, other) => one.priority - other.priority || other.weight - one.weight)
  return records.length > 0 ? records : [{host: domain, port: 5222, direct: false}]
}

const lookUp = async (service: string, domain: string, direct: boolean) => {
  const records = await resolveSrv(`_${service}._tcp.${domain}`).catch(() => [])
  // A single dot means that the service does not exist (RFC 2782).
  return records
    .filter(({name}) => name !== "" && name !== ".")
    .map(({name, port, priority, weight}) => ({host: name, port, priority, weight, direct}))
}

const reach = async ({host, port, direct}: Place, account: AccountSettings, signal: AbortSignal): Promise<Dialed> => {
  const socket = createConnection({host, port})
  try {
    await once(socket, "connect", {signal})
    socket.setKeepAlive(true, 60_000)
    socket.setNoDelay(true)
    if (account.tls === false && !direct) return {socket, isSecure: false}
    const domain = domainOf(account.jid)
    if (!direct) await startTls(socket, domain, signal)
    return {socket: await encrypt(socket, domain, account, direct, signal), isSecure: true}
  } catch (error) {
    socket.destroy()
    throw error
  }
}

const encrypt = async (
  socket: Socket,
  domain: string,
  {verify = true}: AccountSettings,
  direct: boolean,
  signal: AbortSignal,
): Promise<Socket> => {
  const secure = connectTls({
    socket,
    host: domain,
    rejectUnauthorized: verify,
    ...(isIP(domain) === 0 ? {servername: domain} : {}),
    ...(direct ? {ALPNProtocols: ["xmpp-client"]} : {}),
  })
  try {
    await once(secure, "secureConnect", {signal})
    return secure
  } catch (error) {
    secure.destroy()
    throw new Error(`TLS: ${error instanceof Error ? error.message : error}`)
  }
}

/**
 * Requests TLS (RFC 6120, section 5). Discards the plain text received before, so that an attacker cannot inject any.
 */
const startTls = async (socket: Socket, domain: string, signal: AbortSignal): Promise<void> => {
  const names = "xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"
  socket.write(`<?xml version='1.0'?><stream:stream to='${domain}' version='1.0' ${names}>`)
  const features = await readUntil(socket, /<\/(\w+:)?features>|<(\w+:)?features[^>]*\/>|<\/(\w+:)?stream>/, signal)
  if (!/<(\w+:)?starttls\b/.test(features)) throw new Error("the server offers no TLS")
  socket.write("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
  const answer = await readUntil(socket, /<(\w+:)?(proceed|failure)\b[^>]*>/, signal)
  if (!/<(\w+:)?proceed\b/.test(answer)) throw new Error("the server refused TLS")
}

const readUntil = (socket: Socket, end: RegExp, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    const settle = (settled: () => void) => {
      socket.off("data", onData).off("close", onClose).off("error", onError)
      signal.removeEventListener("abort", onAbort)
      settled()
    }
    const onData = (data: Buffer) => {
      text += data.toString("latin1")
      if (end.test(text)) settle(() => resolve(text))
      else if (text.length > longestGreeting) settle(() => reject(new Error("the server is not an XMPP server")))
    }
    const onClose = () => settle(() => reject(new Error("the server closed the connection")))
    const onError = (error: Error) => settle(() => reject(error))
    const onAbort = () => settle(() => reject(new Error("no answer in time")))
    socket.on("data", onData).on("close", onClose).on("error", onError)
    signal.addEventListener("abort", onAbort, {once: true})
  })
