// Pages opened as files may not start workers, and the search runs in one: there a hidden frame takes its place.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      const script = inside.document.createElement("script");
      this.waiting = [];
      this.tell = (data) => inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      inside.postMessage = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      inside.importScripts = () => Promise.resolve();
      script.onload = () => {
        const early = this.waiting;
        this.waiting = null;
        early.forEach(this.tell);
      };
      script.src = new URL(address, location.href).href;
      inside.document.body.append(script);
      this.frame = frame;
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.tell(data);
    }
    terminate() {
      this.frame.remove();
    }
  };
