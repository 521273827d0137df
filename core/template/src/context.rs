//! What executions of one rendering share: values, budget, and state of functions.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::ast::Tree;
use crate::exec::{Frame, Slot};
use crate::meter::{CANCEL_INTERVAL, Meter};
use crate::value::{Base, Heap, PlainError, json};
use crate::{CallError, ExecError, Limit, Limits, MissingKey, Str, TemplateSet, Value, gofmt, quote};

/// The state of one rendering: it may execute any number of templates, which see each other's changes to maps.
#[derive(Debug)]
pub struct Context {
    pub(crate) heap: Heap,
    pub(crate) set: Arc<TemplateSet>,
    limits: Limits,
    steps: u64,
    templates: usize,
    nesting: usize,
    cancel: Option<Arc<AtomicBool>>,
    state: Vec<(TypeId, Box<dyn Any + Send>)>,
    template: Arc<str>,
    /// The set's, which every look-up of a field may ask for.
    pub(crate) missing_key: MissingKey,
    /// Lists of operands and of variables that are not in use.
    pub(crate) pool: Vec<Vec<Value>>,
    pub(crate) frames: Vec<Vec<(u32, Slot)>>,
    /// Buffers of texts that are not in use.
    buffers: Vec<Vec<u8>>,
}

impl Context {
    /// A rendering of `set` over the values of `base`.
    #[must_use]
    pub fn new(set: Arc<TemplateSet>, base: Arc<Base>, limits: Limits) -> Self {
        Self {
            heap: Heap::new(base, limits.heap),
            missing_key: set.missing_key_rule(),
            set,
            limits,
            steps: limits.steps,
            templates: 0,
            nesting: 0,
            cancel: None,
            state: Vec::new(),
            template: Arc::from(""),
            pool: Vec::new(),
            frames: Vec::new(),
            buffers: Vec::new(),
        }
    }

    /// The same with a flag that ends execution soon after it is raised.
    #[must_use]
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// The values.
    #[must_use]
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// The values, to make new ones and change maps.
    pub fn heap_mut(&mut self) -> &mut Heap {
        &mut self.heap
    }

    /// The bounds.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The templates that are executing.
    #[must_use]
    pub fn set(&self) -> &Arc<TemplateSet> {
        &self.set
    }

    /// The name of the innermost template that is executing.
    #[must_use]
    pub fn template(&self) -> &Arc<str> {
        &self.template
    }

    pub(crate) fn enter_template(&mut self, name: Arc<str>) -> Arc<str> {
        core::mem::replace(&mut self.template, name)
    }

    /// Steps taken so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.limits.steps - self.steps
    }

    /// Keeps state for functions, one of each type.
    pub fn put_state<T: Any + Send>(&mut self, state: T) {
        let id = TypeId::of::<T>();
        self.state.retain(|(known, _)| *known != id);
        self.state.push((id, Box::new(state)));
    }

    /// The state of type `T`.
    pub fn state<T: Any + Send>(&mut self) -> Option<&mut T> {
        let id = TypeId::of::<T>();
        self.state
            .iter_mut()
            .find(|(known, _)| *known == id)
            .and_then(|(_, state)| state.downcast_mut())
    }

    /// Pays for `steps` steps of work.
    ///
    /// # Errors
    /// When none are left, or the cancel flag is up.
    pub fn spend(&mut self, steps: u64) -> Result<(), Limit> {
        let before = self.steps;
        self.steps = before.checked_sub(steps).ok_or(Limit::Steps(self.limits.steps))?;
        if before / CANCEL_INTERVAL != self.steps / CANCEL_INTERVAL
            && self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            return Err(Limit::Cancelled);
        }
        Ok(())
    }

    /// What is left of the steps, for a walk that borrows the heap; [`Context::settle`] takes back what remains.
    #[must_use]
    pub fn meter(&self) -> Meter {
        Meter::new(self.steps, self.limits.steps, self.cancel.clone())
    }

    /// Pays for what was spent of a [meter](Context::meter).
    pub fn settle(&mut self, meter: &Meter) {
        self.steps = self.steps.min(meter.left());
    }

    /// The plain form of `value`, as [`Heap::export`], paid for by the node while it is made.
    ///
    /// # Errors
    /// As [`Heap::export`], and when its text would be too long or no steps are left.
    pub fn export(&mut self, value: &Value) -> Result<convoy_value::Value, PlainError> {
        let mut meter = self.meter();
        let plain = self.heap.export_within(value, self.limits.text, &mut meter);
        self.settle(&meter);
        plain
    }

    /// `value` as Go's `json.Marshal` writes it, paid for by the node while it is written.
    ///
    /// # Errors
    /// When it holds what has no JSON, is deeper than 200, its text would be too long or no steps are left.
    pub fn json(&mut self, value: &Value) -> Result<String, PlainError> {
        let mut meter = self.meter();
        let text = json::write(&self.heap, value, self.limits.text, &mut meter);
        self.settle(&meter);
        text
    }

    /// Refuses a text of `bytes` bytes before it is made, if it is too long, and pays for making it.
    ///
    /// # Errors
    /// When the limit of texts, or that of steps, is met.
    pub fn afford_text(&mut self, bytes: usize) -> Result<(), Limit> {
        if bytes > self.limits.text {
            return Err(Limit::Text(self.limits.text));
        }
        self.spend(bytes as u64 / 64)
    }

    pub(crate) fn enter(&mut self) -> Result<(), Limit> {
        if self.nesting >= self.limits.nesting {
            return Err(Limit::Nesting(self.limits.nesting));
        }
        self.nesting += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.nesting = self.nesting.saturating_sub(1);
    }

    pub(crate) fn enter_call(&mut self) -> Result<(), Limit> {
        if self.templates >= self.limits.templates {
            return Err(Limit::Templates(self.limits.templates));
        }
        self.templates += 1;
        Ok(())
    }

    pub(crate) fn leave_call(&mut self) {
        self.templates = self.templates.saturating_sub(1);
    }

    /// `value` as `%v` prints it.
    ///
    /// # Errors
    /// When it is too long or too deep.
    pub fn to_text(&self, value: &Value) -> Result<Vec<u8>, Limit> {
        gofmt::value(&self.heap, value, self.limits.text)
    }

    /// As `fmt.Sprintf`.
    ///
    /// # Errors
    /// When it is too long or too deep.
    pub fn sprintf(&self, format: &[u8], values: &[Value]) -> Result<Vec<u8>, Limit> {
        gofmt::printf(&self.heap, format, values, self.limits.text)
    }

    /// As `fmt.Sprint`.
    ///
    /// # Errors
    /// When it is too long or too deep.
    pub fn sprint(&self, values: &[Value]) -> Result<Vec<u8>, Limit> {
        gofmt::print(&self.heap, values, self.limits.text)
    }

    /// Executes the template `name` of the current set with `data` as dot, and answers what it wrote.
    ///
    /// Functions may call this while a template is executing: limits add up, variables are not seen.
    ///
    /// # Errors
    /// Go's error, with template, line, column and context; or the limit that was met.
    pub fn execute(&mut self, name: &str, data: Value) -> Result<Vec<u8>, ExecError> {
        let mut out = Vec::new();
        self.execute_into(name, data, &mut out)?;
        Ok(out)
    }

    /// Executes a template of the current set that was [looked up](TemplateSet::lookup) before, for functions that
    /// include one template in another.
    ///
    /// # Errors
    /// As [`Context::execute`].
    pub fn execute_tree(&mut self, tree: &Arc<Tree>, data: Value) -> Result<Str, ExecError> {
        /// Longer texts are kept as they are, shorter ones copied so that the buffer serves again.
        const LONG: usize = 4_096;
        let mut out = self.buffers.pop().unwrap_or_default();
        let result = self.run_tree(tree, data, &mut out);
        if result.is_ok() && out.len() > LONG {
            return Ok(Str::from(out));
        }
        let text = Str::from(out.as_slice());
        if out.capacity() <= 4 * LONG {
            out.clear();
            self.buffers.push(out);
        }
        result.map(|()| text)
    }

    /// The same, with the text that was written before an error left in `out`.
    ///
    /// # Errors
    /// As [`Context::execute`].
    pub fn execute_into(&mut self, name: &str, data: Value, out: &mut Vec<u8>) -> Result<(), ExecError> {
        let Some(tree) = self.set.lookup(name).cloned() else {
            let name = quote::quote(name.as_bytes(), false);
            return Err(unplaced(
                alloc::format!("template: no template {name} associated with template"),
                None,
            ));
        };
        self.run_tree(&tree, data, out)
    }

    fn run_tree(&mut self, tree: &Arc<Tree>, data: Value, out: &mut Vec<u8>) -> Result<(), ExecError> {
        let depth = (self.templates, self.nesting);
        let entered = self.enter_call().and_then(|()| self.enter());
        let result = match entered {
            Ok(()) => {
                let outer = self.enter_template(tree.name.clone());
                let result = Frame::run(self, tree, &Slot::plain(data), out);
                self.template = outer;
                result
            }
            Err(limit) => Err(Box::new(unplaced(
                alloc::format!("template: {}: {limit}", tree.name),
                Some(limit),
            ))),
        };
        (self.templates, self.nesting) = depth;
        result.map_err(|error| *error)
    }

    /// Runs `work` with other templates, such as [a set on top of the current one](TemplateSet::on).
    ///
    /// # Errors
    /// Those of `work`.
    pub fn with_set<T>(
        &mut self,
        set: Arc<TemplateSet>,
        work: impl FnOnce(&mut Self) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        self.missing_key = set.missing_key_rule();
        let outer = core::mem::replace(&mut self.set, set);
        let result = work(self);
        self.missing_key = outer.missing_key_rule();
        self.set = outer;
        result
    }

    /// Calls a function value or any function, checking neither number nor types of operands.
    ///
    /// # Errors
    /// Those of the function.
    pub fn call(&mut self, function: &crate::Function, operands: &mut [Value]) -> Result<Value, CallError> {
        match &function.body {
            crate::function::Body::Plain(body) => body(self, operands),
            crate::function::Body::Reflect(body) => body(self, operands, 0).map(|slot| slot.value),
        }
    }

    /// A string value, counted against the limits.
    ///
    /// # Errors
    /// When it is too long.
    pub fn string(&mut self, text: impl Into<Str>) -> Result<Value, Limit> {
        let text = text.into();
        if text.len() > self.limits.text {
            return Err(Limit::Text(self.limits.text));
        }
        self.heap.charge(text.len())?;
        Ok(Value::String(text))
    }
}

fn unplaced(text: String, limit: Option<Limit>) -> ExecError {
    ExecError {
        text,
        template: String::new(),
        line: 0,
        column: 0,
        limit,
    }
}
