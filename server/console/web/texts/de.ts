import type {Lacking, Texts} from "./types.ts"

export const de: Lacking<Texts> = {
  signOut: "Abmelden",
  language: "Sprache",
  ago: length => `vor ${length}`,
  pages: {overview: "Übersicht", jobs: "Aufgaben"},
}
