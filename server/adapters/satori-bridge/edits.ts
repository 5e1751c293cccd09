import {isElement, type Node, refused} from "../../../shared/sdk/sdk.ts"

const files: readonly string[] = ["img", "image", "audio", "video", "file"]

/** Throws a refusal for content with files, because the packages send them as additional messages, or not at all. */
export const refuseFiles = (content: readonly Node[]): void => {
  for (const node of content) {
    if (!isElement(node)) continue
    if (files.includes(node.type))
      throw refused("Koishi adapters cannot add files to an existing message", {
        reason: "unsupported",
        remediation: "Send the file in a separate message.",
      })
    refuseFiles(node.children)
  }
}
