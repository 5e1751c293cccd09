import {autocompletion, completionKeymap} from "@codemirror/autocomplete"
import {defaultKeymap, history, historyKeymap} from "@codemirror/commands"
import {yaml} from "@codemirror/lang-yaml"
import {bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting} from "@codemirror/language"
import {type Diagnostic, lintGutter, lintKeymap, setDiagnostics} from "@codemirror/lint"
import {EditorState} from "@codemirror/state"
import {drawSelection, EditorView, keymap, lineNumbers} from "@codemirror/view"
import {tags} from "@lezer/highlight"
import {offersAt, type Schemas} from "./complete.ts"

/** A finding at a line and column, both from 1. */
export interface Finding {
  readonly line: number
  readonly column: number
  readonly path: string
  readonly message: string
}

export interface EditorOptions {
  readonly text: string
  /** The name for screen readers. */
  readonly label: string
  readonly schemas: () => Schemas | undefined
  readonly onChange: (text: string) => void
}

export interface Editor {
  text(): string
  /** Replaces the text; undo restores the old one. */
  replace(text: string): void
  showFindings(findings: readonly Finding[]): void
  /** Moves the cursor and the focus there. */
  goTo(finding: Finding): void
  close(): void
}

/** Uses the page's own colours, so that it follows light and dark. */
const theme = EditorView.theme({
  "&": {
    border: "1px solid var(--line)",
    borderRadius: "0.375rem",
    background: "var(--surface)",
    color: "var(--text)",
    fontSize: "0.8125rem",
  },
  "&.cm-focused": {outline: "2px solid var(--accent)", outlineOffset: "1px"},
  ".cm-scroller": {fontFamily: "var(--mono)", minHeight: "16rem", maxHeight: "60vh", overflow: "auto"},
  ".cm-gutters": {background: "var(--soft)", color: "var(--muted)", border: "none"},
  ".cm-content": {caretColor: "var(--text)"},
  ".cm-cursor": {borderLeftColor: "var(--text)"},
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--good-soft)",
  },
  ".cm-tooltip": {
    background: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    maxWidth: "min(24rem, 90vw)",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {background: "var(--accent)", color: "var(--on-accent)"},
  ".cm-tooltip.cm-completionInfo": {padding: "0.5rem", whiteSpace: "normal"},
  ".cm-panels": {background: "var(--raised)", color: "var(--text)"},
})

const colours = HighlightStyle.define([
  {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)"},
  {tag: [tags.string, tags.special(tags.string)], color: "var(--good)"},
  {tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--warn)"},
  {tag: tags.comment, color: "var(--muted)", fontStyle: "italic"},
  {tag: tags.invalid, color: "var(--bad)"},
])

/**
 * Opens a YAML editor in an element. The editor is in a shadow root: only there does the page's policy allow
 * CodeMirror's style sheets. Tab leaves the editor, so that keyboard users are not trapped in it.
 */
export const openEditor = (place: HTMLElement, {text, label, schemas, onChange}: EditorOptions): Editor => {
  const root = place.shadowRoot ?? place.attachShadow({mode: "open"})
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        yaml(),
        syntaxHighlighting(colours),
        autocompletion({
          override: [
            ({state, pos, explicit}) => {
              const known = schemas()
              const found = known === undefined ? undefined : offersAt(state.doc.toString(), pos, known)
              if (found === undefined || (!explicit && found.from === pos)) return null
              return {...found, validFor: /^[\w-]*$/}
            },
          ],
        }),
        keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({"aria-label": label, "aria-multiline": "true", spellcheck: "false"}),
        EditorView.updateListener.of(update => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
        theme,
      ],
    }),
  })
  const offsetOf = ({line, column}: Finding): number => {
    const {doc} = view.state
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines))
    return Math.min(at.from + Math.max(column - 1, 0), at.to)
  }
  return {
    text: () => view.state.doc.toString(),
    replace: next => view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: next}}),
    showFindings: findings => {
      const marks = findings.map((finding): Diagnostic => {
        const from = offsetOf(finding)
        const to = view.state.doc.lineAt(from).to
        const message = finding.path === "" ? finding.message : `${finding.path}: ${finding.message}`
        return {from, to: Math.max(from, to), severity: "error", message}
      })
      view.dispatch(setDiagnostics(view.state, marks))
    },
    goTo: finding => {
      view.dispatch({selection: {anchor: offsetOf(finding)}, scrollIntoView: true})
      view.focus()
    },
    close: () => view.destroy(),
  }
}
