import {createHash} from "node:crypto"
import type {StoredFile} from "../../../shared/sdk/sdk.ts"

const bytes = new TextEncoder().encode("a recorded file\n")

/** The file that the bot sends, with the `src` of the element that shows it. */
export const storedFile: StoredFile & {readonly src: string} = {
  src: "recording:file",
  sha256: createHash("sha256").update(bytes).digest("hex"),
  size: bytes.length,
  name: "recorded.txt",
  type: "text/plain",
  stream: () => new Blob([bytes]).stream(),
}
