/** How esbuild compiles plugins. Loading and releasing use the same options, so that the same code runs. */
export const pluginBuild = {
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  target: "node22",
  packages: "external",
  // Not even where a tsconfig.json maps the name to a file.
  external: ["svc-runtime"] as string[],
  metafile: true,
  logLevel: "silent",
  // Bun reads a source map only in a file that it need not compile.
  banner: {js: "// @bun"},
} as const
