import {hash} from "node:crypto"

/** Returns the SHA-256 of bytes, or of a text as UTF-8, in hexadecimal. */
export const sha256Of = (content: string | Uint8Array): string => hash("sha256", content, "hex")
