import {toJson} from "../../../shared/json.ts"

/** Returns the text of a call's result (`CallToolResult` of MCP). Pictures and files are named only. */
export const textOfResult = (result: object): {readonly text: string; readonly isError: boolean} => {
  const {content, structuredContent, isError} = result as Readonly<Record<string, unknown>>
  const parts = Array.isArray(content) ? content.map(textOfPart).filter(part => part !== "") : []
  const text = parts.length > 0 || structuredContent === undefined ? parts.join("\n") : toJson(structuredContent)
  return {text: text.toWellFormed(), isError: isError === true}
}

const textOfPart = (part: unknown): string => {
  const {type, text, mimeType, uri, resource} = Object(part)
  if (type === "text") return String(text)
  const {uri: address = uri, text: inside} = Object(resource)
  if (typeof inside === "string") return inside
  return `[${[type, mimeType, address].filter(each => typeof each === "string").join(" ")}]`
}
