/** The MIME types of files that people commonly send, by file extension. */
const types: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  avif: "image/avif",
  bmp: "image/bmp",
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  flac: "audio/flac",
  gif: "image/gif",
  gz: "application/gzip",
  heic: "image/heic",
  html: "text/html",
  ics: "text/calendar",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  m4a: "audio/mp4",
  md: "text/markdown",
  mkv: "video/matroska",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  odt: "application/vnd.oasis.opendocument.text",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  svg: "image/svg+xml",
  tiff: "image/tiff",
  txt: "text/plain",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip",
}

export const typeOfName = (name: string): string | undefined => {
  const end = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(types, end) ? types[end] : undefined
}

/** Returns a MIME type without its parameters, in lower case; undefined for anything else. */
export const readType = (text: unknown): string | undefined =>
  typeof text === "string" ? /^\s*([\w.+-]+\/[\w.+-]+)\s*(;|$)/.exec(text)?.[1]?.toLowerCase() : undefined
