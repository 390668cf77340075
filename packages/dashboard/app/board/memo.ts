import { Component, createElement, type ComponentType, type VNode } from 'preact'

/** A component that is drawn again only when `isSame` says that its properties differ. */
export function memo<Props extends object>(
  Inner: ComponentType<Props>,
  isSame: (before: Props, after: Props) => boolean,
): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props, next)
    }
    render(): VNode {
      return createElement(Inner as ComponentType<object>, this.props)
    }
  }
}
