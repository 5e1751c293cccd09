/** Media types by file name extension (IANA). */
const byEnding: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bmp: "image/bmp",
  csv: "text/csv",
  flac: "audio/flac",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  m4a: "audio/mp4",
  md: "text/markdown",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  ogv: "video/ogg",
  opus: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  txt: "text/plain",
  wav: "audio/wav",
  weba: "audio/webm",
  webm: "video/webm",
  webp: "image/webp",
  xml: "application/xml",
  zip: "application/zip",
}

/** For a file whose name does not show its type. */
const unknown = "application/octet-stream"

export const mediaTypeOf = (name: string): string => {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(byEnding, ending) ? (byEnding[ending] ?? unknown) : unknown
}
