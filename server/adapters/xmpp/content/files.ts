/** Media types by file extension, because XMPP sends no type with an address. */
const types: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  avif: "image/avif",
  csv: "text/csv",
  flac: "audio/flac",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  m4a: "audio/mp4",
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  zip: "application/zip",
}

export const mediaTypeOf = (name: string): string | undefined => {
  const end = /\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? ""
  return Object.hasOwn(types, end) ? types[end] : undefined
}

/** Returns the file name in an address: its last part. */
export const nameOf = (address: string): string => {
  const last = new URL(address).pathname.split("/").at(-1) ?? ""
  try {
    return decodeURIComponent(last).replace(/[\0-\x1f\x7f/\\]/g, "_") || "file"
  } catch {
    return last || "file"
  }
}
