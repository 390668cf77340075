import { Component, type ComponentChildren } from 'preact'
import { text } from '../texts/index.js'

interface Props {
  readonly children: ComponentChildren
}

/** Keeps the rest of the page when a part of it can't be drawn. */
export class Boundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  override componentDidCatch(error: unknown): void {
    reportError(error)
    this.setState({ hasFailed: true })
  }

  render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div class="empty" role="alert">
        <p class="empty-title">{text.errors.drawing}</p>
        <button type="button" class="button" onClick={() => location.reload()}>
          {text.errors.reload}
        </button>
      </div>
    )
  }
}
