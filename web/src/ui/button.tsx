import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";

type Kind = "plain" | "primary" | "danger" | "quiet";

const kinds: Record<Kind, string> = {
  plain: "border border-line bg-raised hover:bg-hover",
  primary: "bg-accent text-accent-ink hover:opacity-90",
  danger: "border border-line bg-raised text-bad hover:bg-bad-wash",
  quiet: "text-soft hover:bg-hover hover:text-ink",
};

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/** How a button looks, also for links that look like one. */
export const buttonLook = (kind: Kind) =>
  `inline-flex min-h-8 items-center justify-center gap-1.5 rounded-lg px-3 py-1 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50 ${kinds[kind]}`;

export function Button({ kind = "plain", icon, children, className = "", ...rest }: Props) {
  return (
    <button type="button" {...rest} className={`${buttonLook(kind)} ${className}`}>
      {icon}
      {children}
    </button>
  );
}

interface IconProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does, for those who do not see the icon. */
  label: string;
  children: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, children, className = "", ...rest }: IconProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-soft transition-colors hover:bg-hover hover:text-ink disabled:opacity-40 ${className}`}
    >
      {children}
    </button>
  );
}
