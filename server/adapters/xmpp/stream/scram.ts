import {createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual} from "node:crypto"
import {promisify} from "node:util"
import type {SaslFactory} from "@xmpp/client"

/** The most rounds of hashing that a server may require; 4096 to 100,000 are common. */
const mostRounds = 10_000_000

const derive = promisify(pbkdf2)

const hmac = (key: Uint8Array, text: string) => createHmac("sha1", key).update(text).digest()

/** The attributes of a message (RFC 5802, section 5.1). */
const attributesOf = (message: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(message.split(",").map(part => [part.slice(0, 1), part.slice(2)]))

interface Credentials {
  readonly username?: string | null
  readonly password?: string | null
}

/**
 * SCRAM-SHA-1 login (RFC 5802) with the runtime's own PBKDF2. The library creates a key object in each of ten thousand
 * rounds, which costs more than a second of processor time per login.
 */
export class Scram {
  readonly name = "SCRAM-SHA-1"
  readonly clientFirst = true
  readonly #nonce: string
  #first = ""
  #challenge: string | undefined
  #signature: Buffer | undefined

  constructor(nonce = randomBytes(18).toString("base64")) {
    this.#nonce = nonce
  }

  /** Returns the client's next message. Throws if the server's challenge does not answer it. */
  async response({username, password}: Credentials): Promise<string> {
    const challenge = this.#challenge
    if (challenge === undefined) {
      const name = (username ?? "").replaceAll("=", "=3D").replaceAll(",", "=2C")
      this.#first = `n=${name},r=${this.#nonce}`
      return `n,,${this.#first}`
    }
    // The message after the proof is the server's signature, which needs no answer.
    if (this.#signature !== undefined) return ""
    const {r: nonce = "", s: salt = "", i = ""} = attributesOf(challenge)
    const rounds = Number(i)
    if (!nonce.startsWith(this.#nonce)) throw new Error("SCRAM: the server answered a different login")
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > mostRounds)
      throw new Error(`SCRAM: the server asks for "${i.slice(0, 20)}" rounds of hashing`)
    const salted = await derive(password ?? "", Buffer.from(salt, "base64"), rounds, 20, "sha1")
    const final = `c=biws,r=${nonce}`
    const whole = `${this.#first},${challenge},${final}`
    const key = hmac(salted, "Client Key")
    const signature = hmac(createHash("sha1").update(key).digest(), whole)
    this.#signature = hmac(hmac(salted, "Server Key"), whole)
    return `${final},p=${Buffer.from(key.map((byte, index) => byte ^ (signature[index] ?? 0))).toString("base64")}`
  }

  challenge(message: string): void {
    if (this.#signature === undefined) this.#challenge = message
    else this.final(message)
  }

  /** Throws if the server does not know the password. */
  final(message: string): void {
    const given = Buffer.from(attributesOf(message).v ?? "", "base64")
    const wanted = this.#signature
    if (wanted === undefined || given.length !== wanted.length || !timingSafeEqual(given, wanted))
      throw new Error("SCRAM: the server does not know the password")
  }
}

/** Replaces the library's own mechanism. */
export const useScram = ({_mechs: mechanisms}: SaslFactory): void => {
  for (const mechanism of mechanisms) if (mechanism.name === "SCRAM-SHA-1") mechanism.mech = Scram
}
