export type Path = readonly (string | number)[]

/** `plugins.irc.endpoints[0].id` */
export const formatPath = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    "",
  )
