import {createCipheriv, createDecipheriv, hkdfSync, randomBytes} from "node:crypto"
import {rm} from "node:fs/promises"
import {join} from "node:path"
import {fromJson, toJson} from "../../../shared/json.ts"
import type {Secret} from "../../../shared/secret.ts"
import {makePrivateFolder, readFileIfExists, writeFileAtomic} from "../../runtime/files.ts"
import {projectPaths} from "../../runtime/project.ts"
import type {AuthorizationServer, OAuthClient, OAuthTokens} from "./package.ts"

/** What a sign-in leaves behind. */
export interface Kept {
  readonly redirect: string
  readonly client: OAuthClient
  readonly server: AuthorizationServer | undefined
  readonly tokens: OAuthTokens
  /** Where the MCP server describes itself, if it names a place. */
  readonly metadata: string | undefined
}

const [cipherName, nonceLength, tagLength] = ["aes-256-gcm", 12, 16] as const

/**
 * A file of `.svc/mcp`, where no checkpoint reads, with one encrypted sign-in. It opens only for what it is bound to:
 * agent, server, address, and the project's authority, which a restore replaces.
 */
export class KeptFile {
  readonly #folder: string
  readonly #path: string
  readonly #key: Buffer
  readonly #bound: Buffer

  constructor(project: string, name: string, key: Secret, bound: readonly string[]) {
    this.#folder = projectPaths(project).signIns
    this.#path = join(this.#folder, name)
    this.#key = Buffer.from(hkdfSync("sha256", key.reveal(), "", "svc mcp sign-in", 32))
    this.#bound = Buffer.from(toJson(bound))
  }

  /** Resolves to undefined if there is none, and to `unreadable` with another key or for another place. */
  async read(): Promise<Kept | "unreadable" | undefined> {
    const text = await readFileIfExists(this.#path)
    if (text === undefined) return undefined
    const bytes = Buffer.from(text, "base64")
    try {
      const cipher = createDecipheriv(cipherName, this.#key, bytes.subarray(0, nonceLength), {authTagLength: tagLength})
      cipher.setAAD(this.#bound).setAuthTag(bytes.subarray(-tagLength))
      const plain = Buffer.concat([cipher.update(bytes.subarray(nonceLength, -tagLength)), cipher.final()])
      // Its tag proves that svc wrote it.
      return fromJson(plain.toString()) as Kept
    } catch {
      return "unreadable"
    }
  }

  async write(kept: Kept): Promise<void> {
    const nonce = randomBytes(nonceLength)
    const cipher = createCipheriv(cipherName, this.#key, nonce).setAAD(this.#bound)
    const sealed = Buffer.concat([nonce, cipher.update(toJson(kept)), cipher.final(), cipher.getAuthTag()])
    await makePrivateFolder(this.#folder)
    await writeFileAtomic(this.#path, sealed.toString("base64"))
  }

  remove(): Promise<void> {
    return rm(this.#path, {force: true})
  }
}
